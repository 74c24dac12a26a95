import { EventEmitter } from 'node:events';
import type { Client as RealClient } from 'aerospike';
import { describe, expect, test, vi } from 'vitest';
import { BackpressureError } from '../../core/backpressure-error.js';
import { Limiter } from '../../core/limiter.js';
import { AEROSPIKE_CLASSES, commandOf } from './commands.js';
import { LimitedAerospike } from './index.js';

class AerospikeError extends Error {
  code: unknown = -1;
  static fromASError(error: unknown): Error {
    return error as Error;
  }
}

type Answer = (...values: unknown[]) => unknown;

/** The client's shape with an addon that answers when the test says so; the real client is in the integration tests. */
class Client extends EventEmitter {
  readonly config: { maxConnsPerNode?: number };
  readonly answers: Answer[] = [];
  connected = true;
  throws = false;

  constructor(config: { maxConnsPerNode?: number } = {}) {
    super();
    this.config = config;
  }
  asExec(_command: string, args: unknown[]): unknown {
    if (this.throws) throw new TypeError('Key must be an object');
    this.answers.push(args.at(-1) as Answer);
    return 'what the addon returns';
  }
  query(): unknown {
    if (!this.isConnected()) throw new AerospikeError('Not connected.');
    return {};
  }
  scan(): unknown {
    return {};
  }
  connect(): unknown {
    return 'connecting';
  }
  close(): void {
    this.connected = false;
  }
  isConnected(): boolean {
    return this.connected;
  }
  stats(): unknown {
    return undefined;
  }
}

function limited(options: object = {}, config?: { maxConnsPerNode?: number }) {
  const client = new Client(config);
  const { limiter } = new LimitedAerospike(client as unknown as RealClient, options);
  const told: unknown[][] = [];
  const run = (command: string, ...args: unknown[]) =>
    client.asExec(command, [...args, (...answer: unknown[]) => void told.push(answer)]);
  return { client, limiter, told, run };
}

/** Warnings given while `run` runs. */
async function warningsOf(run: () => void): Promise<string[]> {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  run();
  const warnings = emit.mock.calls.map(([message]) => String(message));
  emit.mockRestore();
  return warnings;
}

describe('the limit', () => {
  test.each([
    [{}, 100],
    [{ maxConnsPerNode: 300 }, 300],
    [{ maxConnsPerNode: 5_000 }, 1_000],
    [{ maxConnsPerNode: 7 }, 7],
  ])('of a client with %j is %i by default, without a warning', async (config, limit) => {
    expect(await warningsOf(() => expect(limited({}, config).limiter.limit).toBe(limit))).toEqual([]);
  });

  test('above what the client can carry is taken, with one warning that says why', async () => {
    const warnings = await warningsOf(() => {
      const { client, limiter } = limited({ maxConcurrentOps: 500 });
      expect(limiter.limit).toBe(500);
      new LimitedAerospike(client as never);
    });
    expect(warnings).toEqual([
      'maxConcurrentOps is 500, but the Aerospike client has 100 connections for each node (maxConnsPerNode): ' +
        'the operation after the 100th on one node fails with error -7 (ERR_NO_MORE_CONNECTIONS). ' +
        'Raise maxConnsPerNode, or lower maxConcurrentOps',
    ]);
    expect(await warningsOf(() => limited({ maxConcurrentOps: 100 }))).toEqual([]);
    expect(await warningsOf(() => limited({ limiter: new Limiter({ maxConcurrentOps: 101 }) }))).toHaveLength(
      1,
    );
  });

  test('bounds the bulkheads', () => {
    expect(() => limited({ bulkheads: { scan: 200 } })).toThrow(
      'floodgate: bulkheads.scan must be an integer from 1 to 100, got 200 (number)',
    );
  });
});

describe('what is no client is an error', () => {
  test.each([[undefined], [null], [{}], [class Pool {}], ['aerospike']])('%o', (value) => {
    expect(() => new LimitedAerospike(value as never)).toThrow(
      /^floodgate: the client must be Aerospike.Client or a client of its kind, got /,
    );
  });

  test('and so is a configuration for one that exists', () => {
    expect(() => new LimitedAerospike(new Client() as never, {}, { hosts: 'x' } as never)).toThrow(
      "floodgate: the client's configuration must be absent for a client that exists, got an object (Object)",
    );
  });

  test('and one whose AerospikeError is not to be found', () => {
    class Strange extends Client {
      override query(): unknown {
        return {};
      }
    }
    expect(() => new LimitedAerospike(new Strange() as never)).toThrow(
      "floodgate: LimitedAerospike could not find this client's AerospikeError",
    );
  });

  test('unknown options are errors', () => {
    expect(() => limited({ batchweight: 1 })).toThrow(
      "floodgate: unknown LimitedAerospike option 'batchweight' (did you mean 'batchWeight'?); aerospike's own configuration is the third argument",
    );
    expect(() => limited({ batchWeight: 5 })).toThrow(
      'floodgate: batchWeight must be a function, got 5 (number)',
    );
    expect(() => limited({ bulkheads: { info: 1 } })).toThrow("floodgate: unknown class in bulkheads 'info'");
  });
});

describe('a command', () => {
  test('is passed on, and what the addon returns comes back', () => {
    const { run, client, limiter, told } = limited();
    expect(run('getAsync', 'key')).toBe('what the addon returns');
    expect(limiter.inFlight).toBe(1);
    client.answers[0]!(null, { n: 1 });
    expect([limiter.inFlight, told]).toEqual([0, [[null, { n: 1 }]]]);
  });

  test('that the addon answers twice gives its permit back once', () => {
    const { run, client, limiter } = limited();
    run('getAsync', 'key');
    client.answers[0]!(null, {});
    client.answers[0]!(null, {});
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1 });
  });

  test('whose arguments make the addon throw loses no permit', () => {
    const { run, client, limiter } = limited();
    client.throws = true;
    expect(() => run('getAsync', null)).toThrow('Key must be an object');
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, ignored: 1 });
  });

  test('that this version does not know is limited', () => {
    const { run, limiter, told } = limited({ maxConcurrentOps: 1 });
    run('somethingNew');
    run('somethingNew');
    expect(limiter.stats().classes.other).toMatchObject({ inFlight: 1, rejected: 1 });
    expect(told[0]![0]).toMatchObject({ operation: 'somethingNew' });
  });

  test.each([
    'transactionCommit',
    'transactionAbort',
    'jobInfo',
    'infoAny',
    'infoForeach',
    'infoHost',
    'infoNode',
  ])('%s is counted and never refused', (name) => {
    const { run, client, limiter } = limited({ maxConcurrentOps: 1 });
    run('getAsync', 'key');
    void limiter.drain();
    run(name);
    expect(limiter.stats()).toMatchObject({ inFlight: 1, running: 2, rejected: 0, state: 'draining' });
    for (const answer of client.answers) answer(null);
    expect(limiter.stats().state).toBe('drained');
  });

  test('of the lifecycle passes', () => {
    const { run, client, limiter, told } = limited({ maxConcurrentOps: 1 });
    run('connect');
    client.answers[0]!(null);
    expect(told).toEqual([[null]]);
    expect(limiter.stats()).toMatchObject({ admitted: 0, rejected: 0 });
  });

  test('is in one class', () => {
    expect(AEROSPIKE_CLASSES.filter((name) => name === commandOf('queryForeach').operationClass)).toEqual([
      'query',
    ]);
    expect(commandOf('scanPages')).toMatchObject({ operation: 'scan', answering: 'records' });
  });
});

describe('batchWeight', () => {
  test('that throws or returns nonsense is told of once, and the batch takes one', async () => {
    const weights = [0, Number.NaN, 2.5, -1];
    const { run, limiter } = limited({ batchWeight: () => weights.pop() });
    const warnings = await warningsOf(() => {
      for (let i = 0; i < 4; i++) run('batchGet', ['a', 'b']);
    });
    expect(limiter.inFlight).toBe(4);
    expect(warnings).toEqual([expect.stringContaining('batchWeight must return an integer >= 1, got -1')]);
  });

  test('is not asked about what is no list', () => {
    const { run, limiter } = limited({ batchWeight: () => 50 });
    run('batchGet', 'no list');
    expect(limiter.inFlight).toBe(1);
  });

  test('is not asked about an empty batch', async () => {
    const { run, limiter } = limited({ batchWeight: (keys: number) => keys });
    expect(await warningsOf(() => void run('batchGet', []))).toEqual([]);
    expect(limiter.inFlight).toBe(1);
  });
});

test('a rejection is both errors', () => {
  const { run, told } = limited({ maxConcurrentOps: 1 });
  run('getAsync', 'key');
  expect(run('putAsync', 'key')).toBe(undefined);
  const [error] = told[0]!;
  expect(error).toBeInstanceOf(BackpressureError);
  expect(error).toBeInstanceOf(AerospikeError);
});

test.each([
  ['neither', {}, {}, false],
  ['the limiter', { stackTraces: true }, {}, true],
  ['the client', {}, { captureStackTraces: true }, true],
])('a rejection says where it was called if stacks are captured by %s', (_, options, members, expected) => {
  const { run, client, told } = limited({ maxConcurrentOps: 1, ...options });
  Object.assign(client, members);
  run('getAsync', 'key');
  run('getAsync', 'key');
  const { message, stack = '' } = told[0]![0] as Error;
  expect(stack.split('\n')[0]).toBe(`BackpressureError: ${message}`);
  expect(stack.includes('limited-aerospike.test.ts')).toBe(expected);
});
