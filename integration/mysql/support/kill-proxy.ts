import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on which `KILL QUERY` has a fate of its own; everything else passes. */
export interface KillProxy extends AsyncDisposable {
  /** The server's address, by this way. */
  readonly url: string;
  /** How many are held back. */
  readonly held: number;
  letGo(): void;
}

/** @param fate whether it is held back until it is let go, or comes to nothing, though the server answers */
export async function startKillProxy(url: string, fate: 'held' | 'harmless' = 'held'): Promise<KillProxy> {
  const target = new URL(url);
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(Number(target.port), target.hostname);
    behind.pipe(client);
    client.on('data', (chunk) => {
      const kill = chunk.indexOf('KILL QUERY ');
      if (kill >= 0 && fate === 'harmless') chunk.write('SELECT     ', kill);
      if (kill >= 0 && fate === 'held') held.push(() => behind.write(chunk));
      else behind.write(chunk);
    });
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        behind.destroy();
        sockets.delete(socket);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    get held() {
      return held.length;
    },
    letGo() {
      for (const send of held.splice(0)) send();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
