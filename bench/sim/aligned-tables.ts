/** Markdown whose tables have columns of even width, as the formatter wants them. */
export function alignedTables(markdown: string): string {
  const lines = markdown.split('\n');
  const result: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const table: string[][] = [];
    while (lines[index]?.startsWith('|')) table.push(cellsOf(lines[index++]!));
    if (table.length === 0) result.push(lines[index++]!);
    else result.push(...aligned(table));
  }
  return result.join('\n');
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function aligned(table: readonly (readonly string[])[]): string[] {
  const isRule = (cells: readonly string[]) => cells.every((cell) => /^-+$/.test(cell));
  const widths = table[0]!.map((_, column) =>
    Math.max(3, ...table.filter((cells) => !isRule(cells)).map((cells) => cells[column]!.length)),
  );
  return table.map((cells) => {
    const fill = isRule(cells) ? '-' : ' ';
    return `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(' | ')} |`;
  });
}
