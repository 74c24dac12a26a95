import type { Server, ServerOptions, ServerSettings } from '../shared/server.js';

/** What every way of getting a Redis server hands over. A stop is `save` unless told. */
export interface RedisServer extends Server<RedisWay, RedisStopMode> {
  /** `redis://host:port`, with a password if the server has one. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

export type RedisWay = 'address' | 'local' | 'container';

/** `save` keeps the data, `crash` does not. */
export type RedisStopMode = 'save' | 'crash';

export interface RedisOptions extends ServerOptions<RedisWay> {
  /** Directives of the server (`--name value`), on top of the defaults. A server at an address keeps its own. */
  readonly settings?: ServerSettings;
}

export const stopSignals: Readonly<Record<RedisStopMode, NodeJS.Signals>> = {
  save: 'SIGTERM',
  crash: 'SIGKILL',
};
