import { randomBytes } from 'node:crypto';
import { freePort } from './free-port.js';
import { DATABASE, type MysqlOptions, type MysqlServer } from './mysql-server.js';
import { mysqlArguments } from './mysql-settings.js';
import { waitForMysql } from './mysql-wait.js';
import { ownedServer, type ServerEngine } from './owned-server.js';
import { startWatchdog } from './watchdog.js';

const image = 'mysql:9';

/** For the case that Testcontainers' own reaper is switched off; does what it can where there is a docker CLI. */
const cleanup = `[ -z "$line" ] || { docker unpause "$line"; docker rm -fv "$line"; }`;

/** A server in a container of its own, on a host port that stays the same over stop and start. */
export async function mysqlInContainer(options: MysqlOptions): Promise<MysqlServer> {
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
    const url = `mysql://root:${password}@${host}:${port}/${DATABASE}`;
    const container = runtime.container.getById(id);
    const isUp = async () => (await container.inspect()).State.Running;
    const answers = () =>
      waitForMysql({
        url,
        deadlineMs: 120_000,
        // The image starts a server to set up the user and the database before it starts the real one.
        patient: true,
        givenUp: async () => ((await isUp()) ? undefined : 'the container ended'),
      });

    const engine: ServerEngine = {
      pause: async () => void (await container.pause()),
      resume: async () => void (await container.unpause()),
      async stop(mode) {
        if (!(await isUp())) return;
        const gone = container.wait();
        await container.kill({ signal: mode === 'immediate' ? 'SIGKILL' : 'SIGTERM' });
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
    const facts = { url, host, port, user: 'root', password, database: DATABASE, version, startedInMs };
    return ownedServer({ ...facts, way: 'container' }, engine) as MysqlServer;
  } catch (error) {
    await watchdog?.release();
    throw error;
  }
}

async function createContainer(password: string, options: MysqlOptions) {
  const { GenericContainer, Wait } = await import('testcontainers');
  for (let attempt = 1; ; attempt++) {
    // Chosen here: a port chosen by Docker would be another one after each start.
    const port = await freePort();
    const container = new GenericContainer(image)
      .withEnvironment({ MYSQL_ROOT_PASSWORD: password, MYSQL_DATABASE: DATABASE })
      .withCommand(['mysqld', ...mysqlArguments(options.settings ?? {}, {})])
      .withExposedPorts({ container: 3306, host: port })
      .withWaitStrategy(Wait.forLogMessage(/ready for connections/));
    try {
      return { id: (await container.start()).getId(), port };
    } catch (error) {
      const taken = /already allocated|already in use/.test((error as Error).message);
      if (!taken || attempt === 5) throw error;
    }
  }
}
