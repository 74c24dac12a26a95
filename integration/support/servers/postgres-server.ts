/**
 * What every way of getting a PostgreSQL server hands over, so that a test written against one way runs
 * against all of them.
 */
export interface PostgresServer {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly way: PostgresWay;
  /** As the server says it, without the packager's words: `18.4`. */
  readonly version: string;
  /** From the call to the first answered query; for `address`, the time to connect. */
  readonly startedInMs: number;
  /** False for `address`: somebody else's server is never paused, stopped or started; those methods throw. */
  readonly owned: boolean;
  /** Freezes the server and all its connections: the kernel still takes connections, nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Takes the server down and keeps its data. A paused server is resumed first.
   * `immediate` is a crash: with the default `synchronous_commit=off` the last 0.6 s of commits may be lost.
   *
   * @default 'fast'
   */
  stop(mode?: StopMode): Promise<void>;
  /** Brings a stopped or crashed server up again on the same port. */
  start(): Promise<void>;
  /** Takes the server down for good and deletes all it has left. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type PostgresWay = 'address' | 'local' | 'embedded' | 'container';

export type StopMode = 'smart' | 'fast' | 'immediate';

export type PostgresSettings = Readonly<Record<string, string | number>>;

export interface PostgresOptions {
  /** Only this way, whatever the environment says. */
  readonly way?: PostgresWay;
  /** Server parameters (`-c name=value`), on top of the defaults. A server at an address keeps its own. */
  readonly settings?: PostgresSettings;
  /** The caller stops, pauses or fills the server, so it must be nobody else's. */
  readonly dedicated?: boolean;
  /** Told why a way was passed over and what is being done. */
  readonly log?: (line: string) => void;
}
