import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as aerospike from './clients/aerospike/index.js';
import * as ioredis from './clients/ioredis/index.js';
import * as mysql2 from './clients/mysql2/index.js';
import * as pg from './clients/pg/index.js';
import * as health from './health/index.js';
import * as http from './http/index.js';
import * as floodgate from './index.js';
import * as opentelemetry from './observe/index.js';
import * as retry from './retry/index.js';

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const targets = Object.values<string | Record<string, string>>(manifest.exports)
  .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
  .sort();

function sourceOf(target: string): string {
  return target.replace('./dist/', 'src/').replace(/\.d\.ts$|\.js$/, '.ts');
}

/** A change of these lists is a change of the public surface: a decision, not an accident. */
describe('the public run-time names of', () => {
  test('floodgate', () => {
    expect(Object.keys(floodgate).sort()).toEqual([
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
    ]);
  });

  test.each([
    ['floodgate/aerospike', aerospike, ['LimitedAerospike']],
    ['floodgate/health', health, ['Health']],
    [
      'floodgate/http',
      http,
      [
        'expressBackpressure',
        'fastifyBackpressure',
        'honoBackpressure',
        'koaBackpressure',
        'nestBackpressure',
        'nodeBackpressure',
        'toHttpResponse',
      ],
    ],
    ['floodgate/ioredis', ioredis, ['LimitedRedis']],
    ['floodgate/mysql2', mysql2, ['LimitedMysql', 'limitDriver', 'nested']],
    ['floodgate/opentelemetry', opentelemetry, ['instrument']],
    ['floodgate/pg', pg, ['LimitedClient', 'LimitedPool', 'limitClientClass', 'nested']],
    ['floodgate/retry', retry, ['RetryBudget', 'retry']],
  ])('%s', (_, module, names) => {
    expect(Object.keys(module).sort()).toEqual(names);
  });

  test('Limiter', () => {
    const { Limiter } = floodgate;
    // What is exported adds nothing but the option `adaptive`.
    expect(Object.getOwnPropertyNames(Limiter.prototype)).toEqual(['constructor']);
    const prototype = Object.getPrototypeOf(Limiter.prototype);
    expect(Object.getOwnPropertyNames(prototype).sort()).toEqual(
      [
        'constructor',
        // Getters.
        'inFlight',
        'limit',
        'maxConcurrentOps',
        'name',
        'waiting',
        // Methods.
        'acquire',
        'drain',
        'history',
        'resize',
        'run',
        'stats',
        'subscribe',
        'tryAcquire',
        // Internal, for the wrappers of clients; the types don't show it.
        'classify',
      ].sort(),
    );
    expect(Object.keys(new Limiter())).toEqual(['gate']);
  });
});

describe('package.json', () => {
  test('exports these entry points', () => {
    expect(Object.keys(manifest.exports).sort()).toEqual([
      '.',
      './aerospike',
      './health',
      './http',
      './ioredis',
      './mysql2',
      './opentelemetry',
      './package.json',
      './pg',
      './retry',
    ]);
  });

  test.each(targets.filter((target) => target.startsWith('./dist/')))('%s has a source', (target) => {
    const source = sourceOf(target);
    expect([source, existsSync(new URL(source, root))]).toEqual([source, true]);
  });

  test('has no run-time dependencies', () => {
    const { dependencies, optionalDependencies, bundleDependencies } = manifest;
    expect({ dependencies, optionalDependencies, bundleDependencies }).toEqual({});
  });

  test('asks for no client that a user may not have', () => {
    const optional = Object.keys(manifest.peerDependenciesMeta).filter(
      (name) => manifest.peerDependenciesMeta[name].optional,
    );
    expect(optional.sort()).toEqual(Object.keys(manifest.peerDependencies).sort());
  });
});

/** When the last build was; a source written since then is not in it yet. */
const builtAt = writtenAt('dist/index.js');

function writtenAt(path: string): number {
  return statSync(new URL(path, root), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

describe.runIf(builtAt > 0)('the build', () => {
  test.each(targets.filter((target) => writtenAt(sourceOf(target)) < builtAt))('has %s', (target) => {
    expect(existsSync(new URL(target, root))).toBe(true);
  });
});
