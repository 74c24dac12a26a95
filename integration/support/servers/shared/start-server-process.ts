import { onFreePort } from './on-free-port.js';
import { PortTaken, ServerProcess, type ServerProcessOptions } from './server-process.js';

/** A process that has answered. */
export interface StartedProcess<StopMode extends string> {
  readonly process: ServerProcess<StopMode>;
  readonly port: number;
  readonly version: string;
}

/** A server's process that has answered, on a free port of this machine. */
export function startServerProcess<StopMode extends string>(
  at: (port: number) => ServerProcessOptions<StopMode> | Promise<ServerProcessOptions<StopMode>>,
): Promise<StartedProcess<StopMode>> {
  return onFreePort(
    async (port) => {
      const process = new ServerProcess(await at(port));
      return { process, port, version: await process.startOnce() };
    },
    (error) => error instanceof PortTaken,
  );
}
