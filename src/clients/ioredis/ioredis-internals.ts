import type { Hold } from './hold.js';

/*
 * What floodgate uses of ioredis at run time, in structural types: the client comes in as an argument and is never
 * imported. Members with an underscore, queues and `setStatus` are no public API; each is the same in 5.11 and 6.0, and
 * where one is missing the code that asks for it goes on without.
 */

export type Callback = (error: unknown, result?: unknown) => void;

/** On a command: the permit it runs under, or the mark of one that is not to be admitted. */
export const HELD: unique symbol = Symbol('floodgate.held');

export interface RedisCommand {
  name: string;
  readonly args: readonly unknown[];
  resolve: (value: unknown) => unknown;
  reject: (error: unknown) => unknown;
  readonly promise: Promise<unknown>;
  toWritable(): unknown;
  /** Makes the promise, `resolve` and `reject` anew. */
  initPromise: () => void;
  getSlot(): number | null;
  /** Its place in a pipeline. */
  readonly pipelineIndex?: number | undefined;
  /** Set once a blocking command has a deadline of ioredis' own (`blockingTimeout`). */
  readonly _blockingDeadline?: number | undefined;
  [HELD]?: Hold | typeof NOT_OURS;
}

/** The mark of a command that was sent before its client was limited. */
export const NOT_OURS: { readonly owner: undefined } = { owner: undefined };

export interface RedisPipeline {
  readonly isPipeline: true;
  readonly promise: Promise<unknown>;
  exec: (callback?: unknown) => Promise<unknown>;
  readonly sendCommand: (command: RedisCommand) => unknown;
  resolve: (results: unknown) => unknown;
  reject: (error: unknown) => unknown;
  readonly _queue: readonly RedisCommand[];
  /** How many MULTIs are open: with one, the next `exec()` of a plain pipeline only queues EXEC. */
  readonly _transactions: number;
  readonly [key: symbol]: unknown;
}

interface Queue {
  readonly length: number;
  peekAt(index: number): { readonly command: RedisCommand } | undefined;
  toArray(): { readonly command: RedisCommand }[];
}

export interface RedisClient {
  readonly isCluster?: boolean;
  readonly status: string;
  readonly mode?: string;
  readonly condition?: { readonly subscriber?: unknown } | null;
  readonly options: {
    readonly host?: string;
    readonly port?: number;
    readonly commandTimeout?: number;
    readonly blockingTimeout?: number;
    readonly enableAutoPipelining?: boolean;
    readonly autoResendUnfulfilledCommands?: boolean;
    readonly redisOptions?: { readonly commandTimeout?: number; readonly blockingTimeout?: number };
  };
  readonly scriptsSet: Readonly<Record<string, { readonly Command: unknown }>>;
  readonly commandQueue?: Queue;
  readonly offlineQueue?: Queue;
  /** By the nodes they are for: the pipelines that commands join, and the keys of those that were sent. */
  readonly _autoPipelines?: ReadonlyMap<string, RedisPipeline>;
  readonly _runningAutoPipelines?: ReadonlySet<string>;
  /** Written on a connection that was lost; sent again on the next one. */
  readonly prevCommandQueue?: Queue | null;
  sendCommand(command: RedisCommand, stream?: unknown, node?: unknown): unknown;
  pipeline(...args: unknown[]): RedisPipeline;
  multi(...args: unknown[]): unknown;
  duplicate(...args: unknown[]): RedisClient;
  disconnect(...args: unknown[]): void;
  setStatus(status: string, ...args: unknown[]): void;
  /** Rejects all that is queued. */
  flushQueue?(...args: unknown[]): unknown;
  /** Redis only. */
  _readyCheck?(...args: unknown[]): unknown;
  /** Cluster only, from here on. */
  readyCheck?(...args: unknown[]): unknown;
  quit(...args: unknown[]): unknown;
  nodes?(...args: unknown[]): RedisClient[];
  delayUntilReady?(callback: Callback): void;
  readonly connectionPool?: {
    getNodes(role: 'all'): RedisClient[];
    createRedisFromOptions?: (...args: unknown[]) => RedisClient;
  };
  /** The keys (`host:port`) of the nodes that serve a slot, its master first. */
  readonly slots?: readonly (readonly string[] | undefined)[];
  /** A new object whenever the slots have been asked for. */
  readonly _groupsIds?: object;
}
