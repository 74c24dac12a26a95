import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that is started when somebody first asks for it, who may be another process. */
export interface ServerOnDemand {
  /** Where to ask: see {@link demandServer}. */
  readonly address: string;
  /** Of the server, too, if it was started. */
  close(): Promise<void>;
}

interface Started {
  readonly url: string;
  close(): Promise<void>;
}

export async function serverOnDemand(start: () => Promise<Started>): Promise<ServerOnDemand> {
  let started: Promise<Started> | undefined;
  const door = createServer(async (_, response) => {
    started ??= start();
    try {
      response.end((await started).url);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    address: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    async close() {
      door.close();
      door.closeAllConnections();
      await (await started?.catch(() => undefined))?.close();
    },
  };
}

/** The address of a server that is offered on demand; rejects with the reason if there is none to be had. */
export async function demandServer(address: string): Promise<string> {
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
