import type { RedisCommand } from './ioredis-internals.js';

/**
 * What kind of operation a command is. Only kinds that are *not* an ordinary command are listed, so a command that Redis
 * or ioredis gains later is limited.
 */
export type OperationKind =
  | 'command'
  | 'blocking'
  | 'connection'
  | 'subscription'
  | 'watch'
  | 'multi'
  | 'end of transaction';

interface KindRow {
  readonly kind: OperationKind;
  readonly names: readonly string[];
  /** For names that are of this kind only with certain arguments. */
  readonly when?: (args: readonly unknown[]) => boolean;
  /** Why they are no ordinary commands. */
  readonly source: string;
}

export const KIND_ROWS: readonly KindRow[] = [
  {
    kind: 'connection',
    names: ['auth', 'hello', 'select', 'client', 'readonly', 'readwrite', 'asking', 'quit', 'reset'],
    source: 'ioredis sends them on its own to set a connection up; refused, a client would never come back',
  },
  {
    kind: 'connection',
    names: ['monitor', 'sync', 'psync', 'replconf'],
    source: 'Redis: they turn the connection into a feed, and never end',
  },
  {
    kind: 'connection',
    names: ['himport'],
    when: (args) => ['PREPARE', 'DISCARD', 'DISCARDALL'].includes(wordOf(args[0])),
    source: 'ioredis 6 prepares field sets of a connection on its own, while the HIMPORT SET waits for it',
  },
  {
    kind: 'subscription',
    names: ['subscribe', 'psubscribe', 'ssubscribe', 'unsubscribe', 'punsubscribe', 'sunsubscribe'],
    source: 'ioredis subscribes again after a reconnect; refused, the subscription would be lost in silence',
  },
  {
    kind: 'blocking',
    names: ['blpop', 'brpop', 'brpoplpush', 'blmove', 'blmovem', 'blmpop', 'bzpopmin', 'bzpopmax', 'bzmpop'],
    source: 'Redis: they wait for data, not for the server',
  },
  { kind: 'blocking', names: ['wait', 'waitaof'], source: 'Redis: they wait for replicas and for the disk' },
  {
    kind: 'blocking',
    names: ['xread'],
    when: (args) => hasBlockOption(args, 0),
    source: 'Redis: XREAD waits with BLOCK only',
  },
  {
    kind: 'blocking',
    names: ['xreadgroup'],
    when: (args) => hasBlockOption(args, 3),
    source: 'Redis: XREADGROUP GROUP <group> <consumer> waits with BLOCK only',
  },
  {
    kind: 'watch',
    names: ['watch'],
    source: 'Redis: makes the next transaction conditional; without it, that must not be done',
  },
  { kind: 'multi', names: ['multi'], source: 'Redis: opens a transaction on the connection' },
  {
    kind: 'end of transaction',
    names: ['exec', 'discard'],
    source: 'Redis: they finish work that was admitted, so they are never refused',
  },
  { kind: 'connection', names: ['unwatch'], source: 'Redis: gives up what WATCH has put on the connection' },
];

const ORDINARY: KindRow = { kind: 'command', names: [], source: 'everything that is in no other row' };

/** The kind of a command, by its name in any case, and by its arguments where they decide. */
export function kindOf(command: RedisCommand): OperationKind {
  const row = rowByGivenName.get(command.name) ?? learn(command.name);
  return row.when === undefined || row.when(command.args) ? row.kind : 'command';
}

/**
 * Whether a client only offers it when it connects, so that a server that does not know it (SETINFO is of Redis 7.2, HELLO
 * of 6.0) may refuse it and nothing has failed.
 */
export function isOffer({ name, args }: RedisCommand): boolean {
  const word = name.toLowerCase();
  return word === 'hello' || (word === 'client' && wordOf(args[0]) === 'SETINFO');
}

const rowByName = new Map(KIND_ROWS.flatMap((row) => row.names.map((name) => [name, row] as const)));

/** Names as they come, so that they are not lower-cased each time; bounded, since `call()` takes any. */
const rowByGivenName = new Map<string, KindRow>();
const MAX_GIVEN_NAMES = 2_000;

function learn(given: string): KindRow {
  const row = rowByName.get(String(given).toLowerCase()) ?? ORDINARY;
  if (rowByGivenName.size < MAX_GIVEN_NAMES) rowByGivenName.set(given, row);
  return row;
}

/** Options stand before STREAMS; after it come keys, which may have any name. */
function hasBlockOption(args: readonly unknown[], from: number): boolean {
  for (let index = from; index < args.length; index++) {
    const word = wordOf(args[index]);
    if (word === 'STREAMS') return false;
    if (word === 'BLOCK') return true;
  }
  return false;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.toString().toUpperCase() : '';
}
