/**
 * What every way of getting a Redis server hands over, so that a test written against one way runs against all of
 * them.
 */
export interface RedisServer {
  /** `redis://host:port`, with a password if the server has one. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly way: RedisWay;
  /** As the server says it: `7.0.15`. */
  readonly version: string;
  /** From the call to the first answer; for `address`, the time to connect. */
  readonly startedInMs: number;
  /** False for `address`: somebody else's server is never paused, stopped or started; those methods throw. */
  readonly owned: boolean;
  /** Freezes the server and all its connections: the kernel still takes connections, nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Takes the server down. A paused server is resumed first. `save` keeps the data, `crash` does not.
   *
   * @default 'save'
   */
  stop(mode?: RedisStopMode): Promise<void>;
  /** Brings a stopped or crashed server up again on the same port. */
  start(): Promise<void>;
  /** Takes the server down for good and deletes all it has left. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type RedisWay = 'address' | 'local' | 'container';

export type RedisStopMode = 'save' | 'crash';

export type RedisSettings = Readonly<Record<string, string | number>>;

export interface RedisOptions {
  /** Only this way, whatever the environment says. */
  readonly way?: RedisWay;
  /** Directives of the server (`--name value`), on top of the defaults. A server at an address keeps its own. */
  readonly settings?: RedisSettings;
  /** The caller stops, pauses or fills the server, so it must be nobody else's. */
  readonly dedicated?: boolean;
  /** Told why a way was passed over and what is being done. */
  readonly log?: (line: string) => void;
}

/** Quick to start and to throw away; the data survives a stop, not a crash. */
const defaults: RedisSettings = { save: '86400 1', appendonly: 'no', daemonize: 'no' };

export function redisArguments(settings: RedisSettings, forced: RedisSettings): string[] {
  return Object.entries({ ...defaults, ...settings, ...forced }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
}
