import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let packed: string[];

/** The package as a user gets it: packed, then unpacked into the node_modules of an empty project. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'floodgate-packaging-'));
  // Without scripts: the build belongs to the test command, and others may be using it right now.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    shell: process.platform === 'win32',
  });
  const [{ filename, files }] = JSON.parse(stdout);
  packed = files.map(({ path }: { path: string }) => path).sort();
  await run('tar', ['-xzf', filename], { cwd: folder });
  await mkdir(join(folder, 'node_modules'));
  await rename(join(folder, 'package'), join(folder, 'node_modules', 'floodgate'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs a file of that name in the project; what it prints as JSON. */
async function printedBy(name: string, source: string): Promise<unknown> {
  const file = join(folder, name);
  await writeFile(file, source);
  const { stdout } = await run(process.execPath, ['--no-warnings', file], { cwd: folder });
  return JSON.parse(stdout);
}

const NAMES = [
  'AimdController',
  'BackpressureError',
  'FixedController',
  'Gradient2Controller',
  'KneeController',
  'Limiter',
  'ThresholdController',
  'VegasController',
  'findBackpressureError',
  'isBackpressureError',
];

/** Refused by a limiter of `Limiter`, asked about by `BackpressureError`. */
const REFUSE = `
  function refuse(Limiter) {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    try { limiter.acquire(); } catch (error) { return error; }
  }
`;

describe('the packed package', () => {
  test('has the build, its types and nothing else', () => {
    const others = packed.filter((path) => !/^dist\/[\w/-]+(\.d\.ts|\.js)$/.test(path));
    const allowed = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    expect(others.filter((path) => !allowed.includes(path))).toEqual([]);
    expect(others).toContain('package.json');
    expect(others).toContain('LICENSE');
    expect(packed).toContain('dist/index.js');
    expect(packed).toContain('dist/index.d.ts');
  });

  test('has no dependencies and runs no scripts when it is installed', async () => {
    const text = await readFile(join(folder, 'node_modules/floodgate/package.json'), 'utf8');
    const { dependencies, optionalDependencies, bundleDependencies, scripts } = JSON.parse(text);
    expect({ dependencies, optionalDependencies, bundleDependencies }).toEqual({});
    const onInstall = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(scripts).filter((name) => onInstall.includes(name))).toEqual([]);
  });

  test('can be required by a CommonJS file, without any client installed', async () => {
    const source = `
      const floodgate = require('floodgate');
      const { LimitedPool } = require('floodgate/pg');
      console.log(JSON.stringify([Object.keys(floodgate).sort(), typeof LimitedPool]));
    `;
    expect(await printedBy('required.cjs', source)).toEqual([NAMES, 'function']);
  });

  test('can be imported by an ES module', async () => {
    const source = `
      import * as floodgate from 'floodgate';
      import { LimitedPool } from 'floodgate/pg';
      console.log(JSON.stringify([Object.keys(floodgate).sort(), typeof LimitedPool]));
    `;
    expect(await printedBy('imported.mjs', source)).toEqual([NAMES, 'function']);
  });

  test('reports to the @opentelemetry/api of the project, and asks for it by name where there is none', async () => {
    const source = `
      import { Limiter } from 'floodgate';
      const { instrument } = await import('floodgate/opentelemetry').catch(({ message }) => {
        console.log(JSON.stringify(message));
        process.exit();
      });
      const { metrics } = await import('@opentelemetry/api');
      const made = [];
      const meter = new Proxy({}, { get: (_, key) => (name) => (key.startsWith('create') ? made.push(name) : 0) });
      metrics.setGlobalMeterProvider({ getMeter: () => meter });
      instrument(new Limiter())();
      console.log(JSON.stringify(made.length));
    `;
    expect(await printedBy('otel.mjs', source)).toMatch(
      /^Cannot find package '@opentelemetry\/api' imported from /,
    );
    await mkdir(join(folder, 'node_modules/@opentelemetry'));
    const api = 'node_modules/@opentelemetry/api';
    await cp(join(root, api), join(folder, api), { recursive: true });
    expect(await printedBy('otel.mjs', source)).toBe(13);
  });

  test('brings floodgate/health and floodgate/retry along', async () => {
    const source = `
      const { Limiter } = require('floodgate');
      const { Health } = require('floodgate/health');
      const { RetryBudget, retry } = require('floodgate/retry');
      const limiter = new Limiter();
      const health = new Health({ required: { limiter } });
      retry(() => limiter.run(() => 'served'), { budget: new RetryBudget() }).then((served) => {
        console.log(JSON.stringify([health.readyz().status, served]));
      });
    `;
    expect(await printedBy('health-retry.cjs', source)).toEqual([200, 'served']);
  });

  test('answers requests from a CommonJS file, without any framework installed', async () => {
    const source = `
      ${REFUSE}
      const { Limiter } = require('floodgate');
      const http = require('floodgate/http');
      const { status, headers } = http.toHttpResponse(new Error('orm', { cause: refuse(Limiter) }), { jitterSeconds: 0 });
      console.log(JSON.stringify([Object.keys(http).length, typeof http.nestBackpressure, status, headers['Retry-After']]));
    `;
    expect(await printedBy('http.cjs', source)).toEqual([7, 'function', 503, '1']);
  });

  test('is one and the same, required or imported: instanceof holds', async () => {
    const source = `
      ${REFUSE}
      const required = require('floodgate');
      import('floodgate').then((imported) => {
        console.log(JSON.stringify([
          imported.BackpressureError === required.BackpressureError,
          refuse(required.Limiter) instanceof imported.BackpressureError,
          refuse(imported.Limiter) instanceof required.BackpressureError,
        ]));
      });
    `;
    expect(await printedBy('both.cjs', source)).toEqual([true, true, true]);
  });

  test('may be there twice: instanceof holds between the copies', async () => {
    const nested = join(folder, 'node_modules/orm/node_modules/floodgate');
    await cp(join(folder, 'node_modules/floodgate'), nested, { recursive: true });
    const source = `
      ${REFUSE}
      const one = require('floodgate');
      const other = require('./node_modules/orm/node_modules/floodgate/dist/index.js');
      const { Health } = require('floodgate/health');
      let message;
      try { new Health({ required: { orders: new other.Limiter() } }); } catch (error) { message = error.message; }
      console.log(JSON.stringify([
        one.BackpressureError === other.BackpressureError,
        refuse(one.Limiter) instanceof other.BackpressureError,
        refuse(other.Limiter) instanceof one.BackpressureError,
        one.isBackpressureError(new Error('orm', { cause: refuse(other.Limiter) })),
        require('floodgate/http').toHttpResponse(refuse(other.Limiter)).status,
        message,
      ]));
    `;
    expect(await printedBy('twice.cjs', source)).toEqual([
      false,
      true,
      true,
      true,
      503,
      'floodgate: required.orders must be a Limiter or a client with one, of this copy of floodgate (npm ls floodgate), got an object (Limiter)',
    ]);
  });

  test('lets a process end that did nothing but use it', async () => {
    const source = `
      const { Limiter } = require('floodgate');
      const limiter = new Limiter();
      for (let index = 0; index < 100_000; index++) limiter.acquire().release();
      console.log(limiter.stats().succeeded);
    `;
    expect(await printedBy('ends.cjs', source)).toBe(100_000);
  });
});
