import { createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that was free a moment ago; whoever binds it must be ready to ask again.
 *
 * It lies below the ranges from which systems take ports for outgoing connections (Linux from 32768, macOS
 * from 49152). Otherwise, while a server is down, a client that keeps trying to reconnect could be given that
 * very port and connect to itself, and the server could not come back.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const candidate = 15_000 + Math.floor(Math.random() * 17_000);
    const port = await bindOnce(candidate).catch(() => undefined);
    if (port !== undefined) return port;
  }
  return bindOnce(0);
}

function bindOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
