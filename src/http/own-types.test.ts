import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('./', import.meta.url);
const sources = readdirSync(folder).filter((name) => /\.ts$/.test(name) && !/\.test(-d)?\.ts$/.test(name));

/** Who uses one framework must not need the types of another: not even `import type` names a package. */
test.each(sources)('%s needs no types but those of Node', (name) => {
  const source = readFileSync(new URL(name, folder), 'utf8');
  const named = [...source.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(([, a, b]) => a ?? b!);
  expect(named.filter((specifier) => !/^(\.|node:)/.test(specifier))).toEqual([]);
});

test('the sources are found', () => {
  expect(sources).toContain('nest-backpressure.ts');
  expect(sources.length).toBeGreaterThan(10);
});
