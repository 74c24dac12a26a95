import type { ContainerRuntimeClient } from 'testcontainers';
import type { ServerEngine } from './owned-server.js';
import type { GivenUp } from './server.js';

export type Container = ReturnType<ContainerRuntimeClient['container']['getById']>;

/** How a container is ended, and how it is known that its server answers. */
export interface ContainerEngineOptions<StopMode> {
  readonly stopSignal: (mode: StopMode) => NodeJS.Signals;
  readonly answers: (givenUp: GivenUp) => Promise<string>;
  readonly removed: () => Promise<void>;
}

/** A server in a container: up only once it has answered, and down only once its container has ended. */
export function containerEngine<StopMode>(
  container: Container,
  options: ContainerEngineOptions<StopMode>,
): { readonly engine: ServerEngine<StopMode>; readonly answers: () => Promise<string> } {
  const isUp = async () => (await container.inspect()).State.Running;
  const answers = () =>
    options.answers(async () => {
      if (await isUp()) return undefined;
      const said = await container.logs({ stdout: true, stderr: true, tail: 20 });
      return `the container ended; its log ends with:\n${plainText(said)}`;
    });
  const engine: ServerEngine<StopMode> = {
    pause: async () => void (await container.pause()),
    resume: async () => void (await container.unpause()),
    async stop(mode) {
      if (!(await isUp())) return;
      const gone = container.wait();
      await container.kill({ signal: options.stopSignal(mode) });
      await gone;
    },
    async start() {
      if (!(await isUp())) await container.start();
      await answers();
    },
    async remove() {
      await container.remove({ force: true, v: true });
      await options.removed();
    },
  };
  return { engine, answers };
}

/** Docker puts eight bytes before each piece of a log, to say which stream it is from. */
function plainText(log: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at + 8 <= log.length; ) {
    const end = at + 8 + log.readUInt32BE(at + 4);
    pieces.push(log.toString('utf8', at + 8, end));
    at = end;
  }
  return pieces.join('').trim();
}
