/** What every server can be asked, whatever it is and however it was got: tests of one way run against all of them. */
export interface Server<Way extends string, StopMode = undefined> extends AsyncDisposable {
  readonly way: Way;
  /** As the server says it. */
  readonly version: string;
  /** From the call to the first answer; for `address`, the time to connect. */
  readonly startedInMs: number;
  /** False for `address`: somebody else's server is never paused, stopped or started; those methods throw. */
  readonly owned: boolean;
  /** Freezes the server and all its connections: the kernel still takes connections, nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Takes the server down. A paused server is resumed first. */
  stop(mode?: StopMode): Promise<void>;
  /** Brings a stopped or crashed server up again on the same port. */
  start(): Promise<void>;
  /** Takes the server down for good and deletes all it has left. May be called again. */
  close(): Promise<void>;
}

export interface ServerOptions<Way extends string> {
  /** Only this way, whatever the environment says. */
  readonly way?: Way;
  /** The caller stops, pauses or fills the server, so it must be nobody else's. */
  readonly dedicated?: boolean;
  /** Told why a way was passed over and what is being done. */
  readonly log?: (line: string) => void;
}

/** By the server's own names for them. */
export type ServerSettings = Readonly<Record<string, string | number>>;

/** Says why there is nothing left to wait for: the server's process has ended, say. */
export type GivenUp = () => string | undefined | Promise<string | undefined>;
