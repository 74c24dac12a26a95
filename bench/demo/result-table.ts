import { figureRows } from './figure-rows.js';
import type { RunFigures } from './run-figures.js';

/** A column for each run: ten figures in ten columns would not fit a terminal. */
export function resultTable(runs: readonly RunFigures[]): string {
  const rows = [['', ...runs.map((run) => run.name)], ...figureRows(runs).map((r) => [r.label, ...r.values])];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('   '));
  const rule = widths.map((width) => '─'.repeat(width)).join('───');
  return [lines[0], rule, ...lines.slice(1)].map((line) => `  ${line!.trimEnd()}`).join('\n');
}
