import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A test double of a Redis that knows HIMPORT, which only the newest servers do. */
export interface HimportDouble extends AsyncDisposable {
  readonly port: number;
  /** How often a field set has been prepared. */
  readonly prepared: number;
  /** Forgets every field set. */
  forget(): void;
}

export async function startHimportDouble(): Promise<HimportDouble> {
  const fieldsets = new Set<string>();
  const sockets = new Set<Socket>();
  let prepared = 0;

  function answer([name = '', ...args]: readonly string[]): string {
    if (name.toLowerCase() === 'info') return '$9\r\nloading:0\r\n';
    if (name.toLowerCase() !== 'himport') return '+OK\r\n';
    const [verb = '', ...rest] = args;
    switch (verb.toUpperCase()) {
      case 'PREPARE':
        prepared++;
        fieldsets.add(rest[0]!);
        return '+OK\r\n';
      case 'SET':
        return fieldsets.has(rest[1]!) ? '+OK\r\n' : '-ERR no such fieldset\r\n';
      default:
        fieldsets.delete(rest[0]!);
        return ':1\r\n';
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let buffer = '';
    socket.on('data', (data) => {
      buffer += data.toString('latin1');
      for (let command = take(); command !== undefined; command = take()) socket.write(answer(command));
    });
    /** One whole command (an array of bulk strings) from the front of the buffer. */
    function take(): string[] | undefined {
      const head = /^\*(\d+)\r\n/.exec(buffer);
      if (head === null) return undefined;
      let at = head[0].length;
      const words: string[] = [];
      for (let count = Number(head[1]); count > 0; count--) {
        const length = /^\$(\d+)\r\n/.exec(buffer.slice(at));
        if (length === null) return undefined;
        at += length[0].length;
        words.push(buffer.slice(at, at + Number(length[1])));
        at += Number(length[1]) + 2;
      }
      if (buffer.length < at) return undefined;
      buffer = buffer.slice(at);
      return words;
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();

  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get prepared() {
      return prepared;
    },
    forget: () => fieldsets.clear(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
