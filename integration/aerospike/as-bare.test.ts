import type { Client } from 'aerospike';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { bareClient, type ClientUnderTest, limitedClient } from './client-under-test.js';
import { serves } from './settled-accounts.js';

/**
 * Calls that make no sense end as with the bare client, whatever that does: with the same error, in the same way, and no
 * permit is lost. Every test of this file runs on any server.
 */
let server: AerospikeServer;
let bare: ClientUnderTest<Client>;
let limited: ClientUnderTest;

beforeAll(async () => {
  server = await startAerospike();
  bare = await bareClient(server.hosts);
  limited = await limitedClient(server.hosts);
});
afterAll(async () => {
  await bare?.[Symbol.asyncDispose]();
  await limited?.[Symbol.asyncDispose]();
  await server?.close();
});

const METHODS = [
  ...['get', 'put', 'remove', 'exists', 'existsWithMetadata', 'select', 'operate', 'append', 'incr', 'apply'],
  ...['batchRead', 'batchWrite', 'batchGet', 'batchExists', 'batchSelect', 'batchRemove', 'batchApply'],
  ...['commit', 'abort', 'createIndex', 'udfRegister', 'infoNode'],
];
const ODD: readonly unknown[] = [undefined, null, {}, [], 'x', 0];

/** Lists of arguments; `CALLBACK` and `KEY` stand for one. */
const CALLBACK = Symbol('callback');
const KEY = Symbol('key');
const LISTS: readonly (readonly unknown[])[] = [
  [],
  [CALLBACK],
  ...ODD.flatMap((odd) => [
    [odd],
    [odd, CALLBACK],
    [KEY, odd],
    [KEY, odd, CALLBACK],
    [KEY, odd, null, CALLBACK],
    [KEY, odd, null, null, CALLBACK],
  ]),
];

function told(value: unknown): unknown {
  if (!(value instanceof Error)) return typeof value === 'object' && value !== null ? 'an object' : value;
  const { name, code, message } = value as Error & { code?: unknown };
  return [name, code, message];
}

/** How a call ends, and what it tells. */
async function endOf(
  subject: ClientUnderTest<Client>,
  method: string,
  list: readonly unknown[],
): Promise<unknown> {
  const calls: unknown[] = [];
  let returned = false;
  const answered = new Promise<void>((resolve) => {
    const callback = (...values: unknown[]) => {
      calls.push([returned ? 'later' : 'at once', ...values.map(told)]);
      resolve();
    };
    const key = subject.key('odd');
    const args = list.map((each) => (each === CALLBACK ? callback : each === KEY ? key : each));
    try {
      const result = (subject.client as unknown as Record<string, (...args: unknown[]) => unknown>)[method]!(
        ...args,
      );
      returned = true;
      if (result instanceof Promise) {
        result.then(
          (value) => calls.push(['resolved', told(value)]),
          (error) => calls.push(['rejected', told(error)]),
        );
        void result.then(
          () => resolve(),
          () => resolve(),
        );
      } else {
        calls.push(['returned', told(result)]);
        // Some are never answered: the callback stands where none is looked for.
        setTimeout(resolve, 50);
      }
    } catch (error) {
      calls.push(['threw', told(error)]);
      resolve();
    }
  });
  await answered;
  return calls;
}

test.each(METHODS)('%s', async (method) => {
  for (const list of LISTS) {
    const ends: unknown[] = [];
    for (const subject of [bare, limited]) {
      await subject.client.remove(subject.key('odd')).catch(() => {});
      ends.push(await endOf(subject, method, list));
    }
    expect([method, list, ends[1]]).toEqual([method, list, ends[0]]);
  }
  expect(limited.client.limiter.stats()).toMatchObject({
    inFlight: 0,
    running: 0,
    doubleReleases: 0,
    rejected: 0,
  });
  await serves(limited);
});
