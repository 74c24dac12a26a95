import { randomBytes } from 'node:crypto';
import { freePort } from './free-port.js';
import { ownedServer, type ServerEngine } from './owned-server.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';
import { postgresArguments } from './postgres-settings.js';
import { stopSignals } from './stop-signals.js';
import { waitForPostgres } from './wait-for-postgres.js';
import { startWatchdog } from './watchdog.js';

const image = 'postgres:17-alpine';

/** For the case that Testcontainers' own reaper is switched off; does what it can where there is a docker CLI. */
const cleanup = `[ -z "$line" ] || { docker unpause "$line"; docker rm -fv "$line"; }`;

/** A server in a container of its own, on a host port that stays the same over stop and start. */
export async function postgresInContainer(options: PostgresOptions): Promise<PostgresServer> {
  const began = performance.now();
  // Loaded late: it takes a while, and the other ways do without it.
  const { getContainerRuntimeClient } = await import('testcontainers');
  const runtime = await getContainerRuntimeClient();
  const watchdog = await startWatchdog(cleanup).catch(() => undefined);
  try {
    const password = randomBytes(12).toString('hex');
    options.log?.(`container: starting ${image}`);
    const { id, port } = await createContainer(password, options);
    watchdog?.note(id);
    const host = runtime.info.containerRuntime.host;
    const url = `postgres://postgres:${password}@${host}:${port}/postgres`;
    const container = runtime.container.getById(id);
    const isUp = async () => (await container.inspect()).State.Running;
    const answers = () =>
      waitForPostgres({
        url,
        deadlineMs: 60_000,
        async givenUp() {
          if (await isUp()) return undefined;
          const said = await container.logs({ stdout: true, stderr: true, tail: 20 });
          return `the container ended; its log ends with:\n${plainText(said)}`;
        },
      });

    const engine: ServerEngine = {
      pause: async () => void (await container.pause()),
      resume: async () => void (await container.unpause()),
      async stop(mode) {
        if (!(await isUp())) return;
        const gone = container.wait();
        await container.kill({ signal: stopSignals[mode] });
        await gone;
      },
      async start() {
        if (!(await isUp())) await container.start();
        await answers();
      },
      async remove() {
        await container.remove({ force: true, v: true });
        watchdog?.note('');
        await watchdog?.release();
      },
    };
    const version = await answers();
    const startedInMs = Math.round(performance.now() - began);
    const facts = { url, host, port, user: 'postgres', password, database: 'postgres', version, startedInMs };
    return ownedServer({ ...facts, way: 'container' }, engine);
  } catch (error) {
    await watchdog?.release();
    throw error;
  }
}

async function createContainer(password: string, options: PostgresOptions) {
  const { GenericContainer, Wait } = await import('testcontainers');
  for (let attempt = 1; ; attempt++) {
    // Chosen here: a port chosen by Docker would be another one after each start.
    const port = await freePort();
    const container = new GenericContainer(image)
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(['postgres', ...postgresArguments(options.settings ?? {}, { listen_addresses: '*' })])
      .withExposedPorts({ container: 5432, host: port })
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/));
    try {
      return { id: (await container.start()).getId(), port };
    } catch (error) {
      const taken = /already allocated|already in use/.test((error as Error).message);
      if (!taken || attempt === 5) throw error;
    }
  }
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
