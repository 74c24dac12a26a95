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

let client: Client;
let running: RunningCommands;

beforeEach(() => {
  client = new Client();
  running = new RunningCommands(client as unknown as AerospikeClient);
  deferClose(client as unknown as AerospikeClient, running);
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
