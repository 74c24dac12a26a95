import { connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a client and a server, to be stalled and cut. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** How many connections go through it now. */
  readonly connections: number;
  /** From now on nothing gets through, in either direction, and nobody is told; connections are still accepted. */
  pause(): void;
  /** What was held back gets through. */
  resume(): void;
  /** Cuts every connection with a reset. */
  drop(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<FaultProxy> {
  const links = new Set<Link>();
  let paused = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const link = new Link(client, connect({ ...target, allowHalfOpen: true }), () => links.delete(link));
    links.add(link);
    if (paused) link.pause();
  });
  const port = await listening(server);
  const close = async () => {
    for (const link of links) link.cut();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    host: '127.0.0.1',
    port,
    get connections() {
      return links.size;
    },
    pause() {
      paused = true;
      for (const link of links) link.pause();
    },
    resume() {
      paused = false;
      for (const link of links) link.resume();
    },
    drop() {
      for (const link of links) link.cut();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The same address, through the proxy. */
export function throughProxy(url: string, { host, port }: FaultProxy): string {
  const address = new URL(url);
  address.hostname = host;
  address.port = String(port);
  return address.href;
}

class Link {
  readonly #ends: readonly Socket[];

  constructor(client: Socket, server: Socket, onClosed: () => void) {
    this.#ends = [client, server];
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.pipe(to);
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => {
        to.end();
        if (client.destroyed && server.destroyed) onClosed();
      });
    }
  }

  pause(): void {
    const [client, server] = this.#ends;
    client!.unpipe(server).pause();
    server!.unpipe(client).pause();
  }

  resume(): void {
    const [client, server] = this.#ends;
    client!.pipe(server!);
    server!.pipe(client!);
  }

  cut(): void {
    for (const end of this.#ends) end.resetAndDestroy();
  }
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
