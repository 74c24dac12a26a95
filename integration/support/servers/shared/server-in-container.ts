import type { StartedTestContainer } from 'testcontainers';
import { type Container, containerEngine } from './container-engine.js';
import { onFreePort } from './on-free-port.js';
import type { ServerEngine } from './owned-server.js';
import type { GivenUp } from './server.js';
import { startWatchdog } from './watchdog.js';

/** A server that is to answer on a host port that stays the same over stop and start. */
export interface ContainedServer<StopMode> {
  readonly image: string;
  /** The server's port in there; the one outside if absent. */
  readonly port?: number;
  readonly environment?: (host: string, port: number) => Record<string, string>;
  readonly command?: readonly string[];
  /** A line of its log; that the port is open, if absent. */
  readonly ready?: RegExp;
  readonly stopSignal: (mode: StopMode) => NodeJS.Signals;
  /** Waits for the first answer and returns the server's version. */
  readonly answers: (host: string, port: number, givenUp: GivenUp) => Promise<string>;
}

export interface StartedContainer<StopMode> {
  readonly engine: ServerEngine<StopMode>;
  readonly facts: {
    readonly host: string;
    readonly port: number;
    readonly version: string;
    readonly startedInMs: number;
    readonly way: 'container';
  };
}

/** For the case that Testcontainers' own reaper is switched off; does what it can where there is a docker CLI. */
const cleanup = `[ -z "$line" ] || { docker unpause "$line"; docker rm -fv "$line"; }`;

/** A server in a container of its own that has answered, on a host port that stays the same over stop and start. */
export async function serverInContainer<StopMode>(
  server: ContainedServer<StopMode>,
  log: ((line: string) => void) | undefined,
): Promise<StartedContainer<StopMode>> {
  const began = performance.now();
  // Loaded late: it takes a while, and the other ways do without it.
  const { getContainerRuntimeClient } = await import('testcontainers');
  const runtime = await getContainerRuntimeClient();
  const watchdog = await startWatchdog(cleanup).catch(() => undefined);
  try {
    log?.(`container: starting ${server.image}`);
    const { host } = runtime.info.containerRuntime;
    const { id, port } = await createContainer(server, host);
    watchdog?.note(id);
    const container: Container = runtime.container.getById(id);
    const { engine, answers } = containerEngine<StopMode>(container, {
      stopSignal: server.stopSignal,
      answers: (givenUp) => server.answers(host, port, givenUp),
      async removed() {
        watchdog?.note('');
        await watchdog?.release();
      },
    });
    const version = await answers();
    const startedInMs = Math.round(performance.now() - began);
    return { engine, facts: { host, port, version, startedInMs, way: 'container' } };
  } catch (error) {
    await watchdog?.release();
    throw error;
  }
}

async function createContainer<StopMode>(server: ContainedServer<StopMode>, host: string) {
  const { GenericContainer, Wait } = await import('testcontainers');
  // Chosen here: a port chosen by Docker would be another one after each start.
  return onFreePort(
    async (port) => {
      const container = new GenericContainer(server.image)
        .withEnvironment(server.environment?.(host, port) ?? {})
        .withExposedPorts({ container: server.port ?? port, host: port });
      if (server.command !== undefined) container.withCommand([...server.command]);
      if (server.ready !== undefined) container.withWaitStrategy(Wait.forLogMessage(server.ready));
      const started: StartedTestContainer = await container.start();
      return { id: started.getId(), port };
    },
    ({ message }) => /already allocated|already in use/.test(message),
  );
}
