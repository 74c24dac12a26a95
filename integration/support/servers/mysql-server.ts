import type { ServerEngine } from './owned-server.js';

/**
 * What every way of getting a MySQL or MariaDB server hands over, so that a test written against one way runs
 * against all of them.
 */
export interface MysqlServer {
  /** `mysql://user:password@host:port/database` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly way: MysqlWay;
  /** As the server says it: `9.4.0`, `10.11.14-MariaDB-0+deb12u2`. */
  readonly version: string;
  /** From the call to the first answered query; for `address`, the time to connect. */
  readonly startedInMs: number;
  /** False for `address`: somebody else's server is never paused, stopped or started; those methods throw. */
  readonly owned: boolean;
  /** Freezes the server and all its connections: the kernel still takes connections, nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Takes the server down and keeps its data. A paused server is resumed first. `immediate` is a crash.
   *
   * @default 'fast'
   */
  stop(mode?: MysqlStopMode): Promise<void>;
  /** Brings a stopped or crashed server up again on the same port. */
  start(): Promise<void>;
  /** Takes the server down for good and deletes all it has left. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type MysqlWay = 'address' | 'local' | 'container';

export type MysqlStopMode = 'fast' | 'immediate';

export type MysqlSettings = Readonly<Record<string, string | number>>;

export interface MysqlOptions {
  /** Only this way, whatever the environment says. */
  readonly way?: MysqlWay;
  /** Server variables (`--name=value`), on top of the defaults. A server at an address keeps its own. */
  readonly settings?: MysqlSettings;
  /** The caller stops, pauses or fills the server, so it must be nobody else's. */
  readonly dedicated?: boolean;
  /** Told why a way was passed over and what is being done. */
  readonly log?: (line: string) => void;
}

export type MysqlEngine = ServerEngine;

/** Where tests work; the server's own databases are left alone. */
export const DATABASE = 'floodgate';
