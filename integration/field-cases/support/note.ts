/** Prints measured figures beside the test's result when `FLOODGATE_FIGURES` is set: they are what a field case is about. */
export function note(what: string, figures: Readonly<Record<string, number>>): void {
  if (!process.env.FLOODGATE_FIGURES) return;
  const rounded = Object.entries(figures).map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`);
  process.stdout.write(`  ${what}: ${rounded.join(', ')}\n`);
}
