import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onFreePort } from '../shared/on-free-port.js';
import { ownedServer } from '../shared/owned-server.js';
import type { AerospikeServer } from './aerospike-server.js';

/** What is to happen to commands instead of, or before, their answer; of several, the first that fits is taken. */
export interface Fault {
  /** Only to commands of this kind; to all if absent. `element` is one of a batch. */
  readonly on?: 'read' | 'write' | 'operate' | 'batch' | 'element' | 'query' | 'background';
  readonly delayMs?: number;
  /** So many at a time are worked on, each for `delayMs`; the others wait for their turn. */
  readonly workers?: number;
  /** Time between the pieces (of 50 records) of a scan. */
  readonly betweenMs?: number;
  /** Answer with this code, and do nothing. */
  readonly result?: number;
  /** Never answer. */
  readonly hang?: boolean;
  /** Close the connection without an answer. */
  readonly drop?: boolean;
  /** Only so often; for ever if absent. */
  readonly times?: number;
}

export interface DoubleCounts {
  /** Commands that have reached the server, by kind. */
  readonly commands: Readonly<Record<string, number>>;
  readonly inFlight: number;
  readonly peakInFlight: number;
  readonly connections: number;
  readonly peakConnections: number;
  /** What was refused because the test double does not implement it. */
  readonly refusals: readonly string[];
  /** Processor time of its process so far. */
  readonly cpuMs: number;
}

export interface DoubleControl {
  /** In place of those before. */
  faults(...faults: readonly Fault[]): Promise<void>;
  counts(): Promise<DoubleCounts>;
  resetCounts(): Promise<void>;
}

/** A test double of one node, in a process of its own that ends with this one. */
export async function aerospikeDouble(): Promise<AerospikeServer & { readonly double: DoubleControl }> {
  const began = performance.now();
  const child = fork(scriptPath(), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ask = asker(child);
  const port = await onFreePort(
    (free) => ask('start', free).then(() => free),
    ({ message }) => /EADDRINUSE/.test(message),
  );
  // It keeps nobody alive; its answers do, while they are awaited.
  child.unref();
  child.channel?.unref();
  const double: DoubleControl = {
    faults: (...faults) => ask('faults', faults),
    counts: () => ask('counts'),
    resetCounts: () => ask('resetCounts'),
  };
  const facts = {
    hosts: `127.0.0.1:${port}`,
    way: 'double' as const,
    version: 'test double, no server',
    startedInMs: Math.round(performance.now() - began),
    double,
  };
  const engine = {
    pause: async () => void child.kill('SIGSTOP'),
    resume: async () => void child.kill('SIGCONT'),
    stop: () => ask<void>('stop'),
    start: () => ask<void>('start'),
    async remove() {
      const gone = once(child, 'exit');
      child.ref();
      child.disconnect();
      await gone;
    },
  };
  return ownedServer('Aerospike', facts, engine, undefined);
}

/** Plain JavaScript, so that Node 20 runs it from the sources; the build leaves it where it is. */
function scriptPath(): string {
  const places = [
    '../../aerospike-server/main.js',
    '../../../../../integration/support/aerospike-server/main.js',
  ];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found === undefined) throw new Error('integration/support/aerospike-server/main.js is not there');
  return found;
}

type Ask = <T>(command: string, argument?: unknown) => Promise<T>;

function asker(child: ChildProcess): Ask {
  const waiting = new Map<number, (answer: { value?: unknown; error?: string }) => void>();
  let last = 0;
  child.on('message', (answer: { id: number; value?: unknown; error?: string }) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
    if (waiting.size === 0) child.channel?.unref();
  });
  child.on('exit', () => {
    for (const tell of waiting.values()) tell({ error: 'the Aerospike test double has ended' });
    waiting.clear();
  });
  return (command, argument) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, ({ value, error }) =>
        error === undefined ? resolve(value as never) : reject(new Error(error)),
      );
      child.channel?.ref();
      child.send({ id, command, argument });
    });
}
