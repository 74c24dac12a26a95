/** An address in parts, for libraries that want it so. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** @param database instead of the one in the address */
export function placeOf(url: string, database?: string): Place {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database: database ?? pathname.slice(1),
  };
}
