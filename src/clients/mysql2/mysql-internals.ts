import type { EventEmitter } from 'node:events';

/*
 * What floodgate uses of mysql2 at run time, in structural types: the client comes in as an argument and is never
 * imported. Members with an underscore are no public API of mysql2; where one is missing, the code that asks for it goes
 * on without.
 */

export type Callback = (error?: unknown, ...results: unknown[]) => unknown;
export type ConnectionCallback = (error: unknown, connection?: MysqlConnection) => unknown;

/** The core of every pool, whichever API its users see. */
export interface MysqlPool extends EventEmitter {
  getConnection(callback: ConnectionCallback): unknown;
  releaseConnection(connection: MysqlConnection): unknown;
  query(sql: unknown, values?: unknown, callback?: unknown): unknown;
  execute(sql: unknown, values?: unknown, callback?: unknown): unknown;
  end(callback?: Callback): unknown;
  readonly _closed?: boolean;
  /** Callbacks that wait for a connection. */
  readonly _connectionQueue?: { shift(): unknown; readonly length: number };
  readonly _freeConnections?: MysqlQueue<MysqlConnection>;
  readonly _allConnections?: MysqlQueue<MysqlConnection>;
}

export interface MysqlQueue<T> {
  readonly length: number;
  get(index: number): T;
}

export interface MysqlConnection extends EventEmitter {
  readonly constructor: new (options: { config: object }) => MysqlConnection;
  query(sql: unknown, values?: unknown, callback?: unknown): unknown;
  execute(sql: unknown, values?: unknown, callback?: unknown): unknown;
  ping(callback: Callback): unknown;
  changeUser(options: unknown, callback: Callback): unknown;
  end(callback?: Callback): unknown;
  destroy(): void;
  /** Of a pooled connection. */
  release?(): void;
  /** Everything that is sent passes here; mysql2 puts another function in its place when the connection closes. */
  addCommand(command: MysqlCommand): unknown;
  readonly config: MysqlConfig;
  readonly threadId?: number | null;
  readonly stream: MysqlStream;
  /** What comes next. */
  readonly _commands?: { readonly length: number; unshift(command: MysqlCommand): unknown };
  /** Makes the next step of what is under way, with or without news of the server. */
  handlePacket(packet?: MysqlPacket): void;
  /** Closed by its user. */
  readonly _closing?: boolean;
  /** What is under way: the handshake, to begin with. */
  readonly _command?: MysqlCommand | null;
  /** Why it was lost, if it was not closed by its user. */
  readonly _protocolError?: unknown;
  readonly _fatalError?: unknown;
  /** `null` once the connection has left its pool. */
  readonly _pool?: MysqlPool | null;
}

export interface MysqlConfig {
  readonly stream?: unknown;
  connectTimeout?: number;
  /** What it tells a server of itself. */
  readonly connectAttributes?: { readonly _client_version?: unknown };
}

export interface MysqlStream extends EventEmitter {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  destroy?(error?: Error): void;
}

/** One exchange with the server: a query, an execute, a ping. */
export interface MysqlCommand extends EventEmitter {
  onResult?: Callback | undefined;
  /** The first state of its machine: each gives the next one, or `null` at the end. */
  start: CommandState;
  /** The state machine's step for each packet. */
  execute(packet: MysqlPacket | undefined, connection: MysqlConnection): unknown;
  readonly sql?: unknown;
  readonly query?: unknown;
  /** How many columns the result has: none for what brings no rows. */
  readonly _fieldCount?: number | null;
  /** What has come of it, one entry for each result: rows, or the server's OK. */
  readonly _rows?: readonly { readonly serverStatus?: number }[];
}

export type CommandState = (packet: MysqlPacket | undefined, connection: MysqlConnection) => unknown;

export interface MysqlPacket {
  isEOF(): boolean;
  isError(): boolean;
  eofStatusFlags(): number;
  readonly buffer: Uint8Array;
  /** Where reading goes on. */
  offset: number;
  skip(bytes: number): void;
  readLengthCodedNumber(): unknown;
  readInt16(): number;
}

export interface MysqlNamespace {
  getConnection(callback: ConnectionCallback): unknown;
  query(sql: unknown, values?: unknown, callback?: unknown): unknown;
  execute(sql: unknown, values?: unknown, callback?: unknown): unknown;
}

export interface MysqlNode {
  readonly id: string;
  readonly pool: MysqlPool;
}

export interface MysqlCluster extends EventEmitter {
  of(pattern?: unknown, selector?: unknown): MysqlNamespace;
  end(callback?: Callback): unknown;
  readonly _namespaces: Readonly<Record<string, MysqlNamespace>>;
  _getConnection(node: MysqlNode, callback: ConnectionCallback): unknown;
}

/** A query or an execute: what runs a statement, in contrast to what prepares one or asks for a sign of life. */
export function isStatement(command: MysqlCommand): boolean {
  return '_rows' in command;
}

/** What gives a statement an id, to be run later. */
export function isPrepare(command: MysqlCommand): boolean {
  return 'parameterDefinitions' in command;
}

/** The callback that mysql2 would take from a call's arguments. Without one, results come as events. */
export function givenCallback(values: unknown, callback: unknown): unknown {
  return typeof values === 'function' ? values : callback;
}
