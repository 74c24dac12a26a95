import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { AerospikeClient } from './aerospike-internals.js';
import { deferClose } from './defer-close.js';
import { RunningCommands } from './running-commands.js';

/** What matters of a client here; the real one is closed in the integration tests. */
class Client {
  readonly as_client = { hasPendingAsyncCommands: () => this.pending };
  /** The addon is still at work by itself. */
  pending = false;
  connected = true;
  readonly closed: unknown[][] = [];

  close(...args: unknown[]): void {
    if (this.connected) this.closed.push(args);
    this.connected = false;
  }
  connect(): unknown {
    return 'connecting';
  }
}

class AerospikeError extends Error {
  code: unknown = -1;
  static fromASError(error: unknown): Error {
    return error as Error;
  }
}

let client: Client;
let running: RunningCommands;
let watchConnect: ReturnType<typeof deferClose>['watchConnect'];

beforeEach(() => {
  client = new Client();
  running = new RunningCommands(client as unknown as AerospikeClient);
  watchConnect = deferClose(client as unknown as AerospikeClient, running, AerospikeError).watchConnect;
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('close()', () => {
  test('disconnects at once, and closes the addon when the last command has been answered', async () => {
    running.begin();
    running.begin();
    client.close(true, false);
    expect([client.connected, client.closed]).toEqual([false, []]);
    running.end();
    await turn();
    expect(client.closed).toEqual([]);
    running.end();
    // The addon is in the middle of answering.
    expect(client.closed).toEqual([]);
    await turn();
    expect([client.connected, client.closed]).toEqual([false, [[true, false]]]);
  });

  test('waits for what the addon still does by itself', async () => {
    client.pending = true;
    client.close();
    await turn();
    expect(client.closed).toEqual([]);
    client.pending = false;
    await vi.waitFor(() => expect(client.closed).toHaveLength(1));
  });

  test('called twice closes once', async () => {
    client.close();
    client.close();
    await turn();
    client.close();
    expect(client.closed).toHaveLength(1);
  });

  test('called again to release the event loop does so, when it has come about', async () => {
    running.begin();
    client.close();
    client.close(true, false);
    client.close();
    running.end();
    await turn();
    expect(client.closed).toEqual([[true, false]]);
  });

  test('is taken back by connect(), and may come again', async () => {
    running.begin();
    client.close();
    expect(await client.connect()).toBe(client);
    running.end();
    await turn();
    expect([client.connected, client.closed]).toEqual([true, []]);
    expect(client.connect()).toBe('connecting');
    client.close();
    await turn();
    expect(client.closed).toHaveLength(1);
  });

  test('taken back by connect(callback) tells so on a later tick', async () => {
    running.begin();
    client.close();
    const told: unknown[] = [];
    const connect = client.connect as (callback: (...values: unknown[]) => void) => unknown;
    connect.call(client, (...values) => told.push(values));
    expect(told).toEqual([]);
    await turn();
    expect(told).toEqual([[null, client]]);
  });
});

describe('connect()', () => {
  const GONE =
    "A client that has been closed, or could not connect, can't be connected again: make a new one.";

  test('of a client that has been closed is refused', async () => {
    client.close();
    await turn();
    await expect(client.connect()).rejects.toThrow(new AerospikeError(GONE));
    const told: unknown[] = [];
    const connect = client.connect as (callback: (...values: unknown[]) => void) => unknown;
    expect(await connect.call(client, (...values) => told.push(...values))).toBe(undefined);
    await turn();
    expect(told).toEqual([new AerospikeError(GONE)]);
    expect(client.closed).toHaveLength(1);
  });

  test('of one that could not connect is refused, that of others is not', async () => {
    const told: unknown[] = [];
    const callback = watchConnect((...answer) => told.push(answer));
    callback(null);
    callback({ code: 0 });
    expect(client.connect()).toBe('connecting');
    callback({ code: -10, message: 'Failed to connect' });
    await expect(client.connect()).rejects.toThrow(GONE);
    expect(told).toEqual([[null], [{ code: 0 }], [{ code: -10, message: 'Failed to connect' }]]);
  });
});
