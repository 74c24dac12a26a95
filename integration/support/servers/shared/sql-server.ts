import type { Server } from './server.js';

/** A database server and all that a client needs to log in to it. */
export interface SqlServer<Way extends string, StopMode> extends Server<Way, StopMode>, SqlPlace {}

export interface SqlPlace {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** What a URL says in one piece, in its parts; without a database it is the user's. */
export function sqlPlace(url: string, usualPort: number): SqlPlace {
  const parts = new URL(url);
  const user = decodeURIComponent(parts.username);
  return {
    url,
    host: parts.hostname,
    port: Number(parts.port || usualPort),
    user,
    password: decodeURIComponent(parts.password),
    database: decodeURIComponent(parts.pathname.slice(1)) || user,
  };
}
