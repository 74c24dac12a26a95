import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Dependencies point from later to earlier; folders of one line do not know each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['core'],
  ['adaptive'],
  ['clients', 'observe', 'http', 'health', 'retry'],
  ['index'],
];
/** The one package that is imported at run time, and the one folder that may: it is the API of what users run there. */
const RUN_TIME_PACKAGE = { folder: 'observe', specifier: '@opentelemetry/api' };
/** A file of one idea is shorter than this. */
const MOST_LINES = 260;

interface Import {
  readonly specifier: string;
  /** Erased by the compiler: `import type`, `export type`. `import { type A }` stays an import of the module. */
  readonly typeOnly: boolean;
}

/** Every module a source names, in whatever way. */
function importsOf(source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
  const statements = /\b(import|export)\s+(type\s+)?(?:[\w$*{}\s,]*?\s*from\s*)?(['"])([^'"]+)\3/g;
  const calls = /\b(?:import|require|require\.resolve)\s*\(\s*(['"`])([^'"`]+)\1/g;
  return [
    ...[...code.matchAll(statements)].map(([, , type, , specifier]) => ({
      specifier: specifier!,
      typeOnly: type !== undefined,
    })),
    // `typeof import('pg')` and `import('pg').Pool` in a type look like calls; write them as `import type`.
    ...[...code.matchAll(calls)].map(([, , specifier]) => ({ specifier: specifier!, typeOnly: false })),
  ];
}

/** Which rules a source file breaks. `path` is relative to `src`, with slashes. */
function violations(path: string, source: string): string[] {
  const broken: string[] = [];
  const lines = source.trimEnd().split('\n').length;
  if (lines > MOST_LINES) broken.push(`${path} has ${lines} lines, more than ${MOST_LINES}`);
  if (/\.test(-d)?\.ts$/.test(path)) return broken;
  for (const { specifier, typeOnly } of importsOf(source)) {
    const complaint = specifier.startsWith('.')
      ? wrongWay(path, join(dirname(path), specifier).split(sep).join('/'))
      : foreign(path, specifier, typeOnly);
    if (complaint !== undefined) broken.push(`${path} imports ${specifier}: ${complaint}`);
  }
  return broken;
}

function wrongWay(from: string, to: string): string | undefined {
  if (to.startsWith('..')) return 'it is outside of src';
  if (!to.endsWith('.js')) return 'relative imports end in .js';
  if (/\.test(-d)?\.js$/.test(to)) return 'it is a test';
  const [fromFolder, toFolder] = [folderOf(from), folderOf(to)];
  const [fromRank, toRank] = [rankOf(fromFolder), rankOf(toFolder)];
  if (fromRank === -1) return `src/${fromFolder} is in no layer`;
  if (toRank === -1) return `src/${toFolder} is in no layer`;
  if (toRank > fromRank) return `${fromFolder} comes before ${toFolder}`;
  if (toRank === fromRank && fromFolder !== toFolder)
    return `${fromFolder} and ${toFolder} don't know each other`;
  if (toFolder !== 'clients' || fromFolder !== 'clients') return undefined;
  const [fromClient, toClient] = [from.split('/')[1], to.split('/')[1]];
  if (toClient === 'shared' || fromClient === toClient) return undefined;
  return `${fromClient} and ${toClient} don't know each other`;
}

function foreign(path: string, specifier: string, typeOnly: boolean): string | undefined {
  if (typeOnly) return undefined;
  const { folder, specifier: allowed } = RUN_TIME_PACKAGE;
  if (folderOf(path) === folder && specifier === allowed) return undefined;
  if (specifier.startsWith('node:')) return undefined;
  return builtinModules.includes(specifier)
    ? 'built-in modules are imported as node:'
    : 'packages are not imported at run time; they come in as arguments';
}

/** `index` for the files that lie directly in `src`. */
function folderOf(path: string): string {
  return path.includes('/') ? path.split('/')[0]! : 'index';
}

function rankOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

const src = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.split(sep).join('/'))
  .sort();

describe('the sources', () => {
  test('are found', () => {
    expect(files).toContain('core/limiter.ts');
    expect(files).toContain('index.ts');
  });

  test.each(files)('%s keeps the rules', (path) => {
    expect(violations(path, readFileSync(join(src, path), 'utf8'))).toEqual([]);
  });

  test('import no file that is not there', () => {
    const missing = files.flatMap((path) =>
      importsOf(readFileSync(join(src, path), 'utf8'))
        .filter(({ specifier }) => specifier.startsWith('.') && !specifier.includes('?'))
        .map(({ specifier }) =>
          relative(src, resolve(src, dirname(path), specifier))
            .split(sep)
            .join('/'),
        )
        .filter(
          (target) =>
            !existsSync(join(src, target.replace(/\.js$/, '.ts'))) && path !== 'architecture.test.ts',
        ),
    );
    expect(missing).toEqual([]);
  });
});

describe('the checker', () => {
  const packages = 'packages are not imported at run time; they come in as arguments';

  test.each([
    ['core/a.ts', "import { x } from '../adaptive/x.js';", 'core comes before adaptive'],
    ['core/a.ts', "import type { X } from '../clients/pg/x.js';", 'core comes before clients'],
    ['core/a.ts', "export * from '../index.js';", 'core comes before index'],
    ['adaptive/a.ts', "export { x } from '../http/x.js';", 'adaptive comes before http'],
    ['observe/a.ts', "import { x } from '../clients/pg/x.js';", "observe and clients don't know each other"],
    ['http/a.ts', "import { x } from '../retry/x.js';", "http and retry don't know each other"],
    ['clients/pg/a.ts', "import { x } from '../mysql2/x.js';", "pg and mysql2 don't know each other"],
    ['clients/shared/a.ts', "import { x } from '../pg/x.js';", "shared and pg don't know each other"],
    [
      'clients/pg/sub/a.ts',
      "import { x } from '../../ioredis/x.js';",
      "pg and ioredis don't know each other",
    ],
    ['clients/pg/a.ts', "import { x } from '../../index.js';", 'clients comes before index'],
    ['core/a.ts', "import { x } from './x.test.js';", 'it is a test'],
    ['core/a.ts', "import { x } from '../../bench/x.js';", 'it is outside of src'],
    ['core/a.ts', "import { x } from './x';", 'relative imports end in .js'],
    ['core/a.ts', "import { x } from '../extras/x.js';", 'src/extras is in no layer'],
    ['extras/a.ts', "import { x } from '../core/x.js';", 'src/extras is in no layer'],
    ['clients/pg/a.ts', "import pg from 'pg';", packages],
    ['clients/pg/a.ts', "import { type Pool } from 'pg';", packages],
    ['clients/pg/a.ts', "import * as pg from 'pg';", packages],
    ['clients/pg/a.ts', "import 'pg';", packages],
    ['clients/pg/a.ts', "const pg = await import('pg');", packages],
    ['clients/pg/a.ts', "const pg = require('pg');", packages],
    ['clients/pg/a.ts', "export { Pool } from 'pg';", packages],
    ['clients/pg/a.ts', "export * from 'pg';", packages],
    ['clients/pg/a.ts', "import pg, {\n  Pool,\n} from 'pg';", packages],
    ['clients/ioredis/a.ts', 'import { Redis } from "ioredis";', packages],
    ['clients/aerospike/a.ts', "import Aerospike from 'aerospike';", packages],
    ['clients/mysql2/a.ts', "import mysql from 'mysql2/promise';", packages],
    ['core/a.ts', "import { x } from 'lodash';", packages],
    ['core/a.ts', "import { metrics } from '@opentelemetry/api';", packages],
    ['clients/pg/a.ts', "import { metrics } from '@opentelemetry/api';", packages],
    ['observe/a.ts', "import { metrics } from '@opentelemetry/api-logs';", packages],
    ['observe/a.ts', "import { metrics } from '@opentelemetry/sdk-metrics';", packages],
    ['index.ts', "import { metrics } from '@opentelemetry/api';", packages],
    ['core/a.ts', "import { readFileSync } from 'fs';", 'built-in modules are imported as node:'],
  ])('finds in %s: %s', (path, source, complaint) => {
    expect(violations(path, source)).toEqual([expect.stringContaining(`: ${complaint}`)]);
  });

  test('finds a file that is too long, tests too', () => {
    const long = 'const a = 1;\n'.repeat(MOST_LINES + 1);
    expect(violations('core/a.ts', long)).toEqual(['core/a.ts has 261 lines, more than 260']);
    expect(violations('core/a.test.ts', long)).toEqual(['core/a.test.ts has 261 lines, more than 260']);
    expect(violations('core/a.ts', 'const a = 1;\n'.repeat(MOST_LINES))).toEqual([]);
  });

  test.each([
    ['clients/pg/a.ts', "import type { Pool } from 'pg';"],
    ['clients/pg/a.ts', "export type { Pool } from 'pg';"],
    ['clients/pg/a.ts', "import type pg from 'pg';"],
    ['clients/pg/a.ts', "import { x } from '../shared/x.js';\nimport { y } from '../../core/y.js';"],
    ['clients/pg/a.ts', "import { y } from './deep/y.js';\nimport { z } from '../../adaptive/z.js';"],
    ['core/a.ts', "import { setTimeout } from 'node:timers/promises';"],
    ['core/a.ts', "/** import pg from 'pg'; */\n// import pg from 'pg'\nconst url = 'https://a.b';"],
    ['index.ts', "export { x } from './core/x.js';"],
    ['observe/a.ts', "import { type Meter, metrics } from '@opentelemetry/api';"],
    ['core/a.test.ts', "import fc from 'fast-check';"],
  ])('lets %s: %s', (path, source) => {
    expect(violations(path, source)).toEqual([]);
  });
});
