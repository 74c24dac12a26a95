import { freePort } from './free-port.js';
import { ownedRedis, type RedisEngine } from './redis-owned.js';
import { type RedisOptions, type RedisServer, redisArguments } from './redis-server.js';
import { waitForRedis } from './redis-wait.js';
import { startWatchdog } from './watchdog.js';

const image = 'redis:8-alpine';

/** For the case that Testcontainers' own reaper is switched off; does what it can where there is a docker CLI. */
const cleanup = `[ -z "$line" ] || { docker unpause "$line"; docker rm -fv "$line"; }`;

/** A server in a container of its own, on a host port that stays the same over stop and start. */
export async function redisInContainer(options: RedisOptions): Promise<RedisServer> {
  const began = performance.now();
  // Loaded late: it takes a while, and the other ways do without it.
  const { getContainerRuntimeClient } = await import('testcontainers');
  const runtime = await getContainerRuntimeClient();
  const watchdog = await startWatchdog(cleanup).catch(() => undefined);
  try {
    options.log?.(`container: starting ${image}`);
    const { id, port } = await createContainer(options);
    watchdog?.note(id);
    const host = runtime.info.containerRuntime.host;
    const url = `redis://${host}:${port}`;
    const container = runtime.container.getById(id);
    const isUp = async () => (await container.inspect()).State.Running;
    const answers = () =>
      waitForRedis({
        url,
        deadlineMs: 60_000,
        givenUp: async () => ((await isUp()) ? undefined : 'the container ended'),
      });
    const engine: RedisEngine = {
      pause: async () => void (await container.pause()),
      resume: async () => void (await container.unpause()),
      async stop(mode) {
        if (!(await isUp())) return;
        const gone = container.wait();
        await container.kill({ signal: mode === 'save' ? 'SIGTERM' : 'SIGKILL' });
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
    return ownedRedis({ url, host, port, way: 'container', version, startedInMs }, engine);
  } catch (error) {
    await watchdog?.release();
    throw error;
  }
}

async function createContainer(options: RedisOptions) {
  const { GenericContainer, Wait } = await import('testcontainers');
  for (let attempt = 1; ; attempt++) {
    // Chosen here: a port chosen by Docker would be another one after each start.
    const port = await freePort();
    const container = new GenericContainer(image)
      .withCommand(['redis-server', ...redisArguments(options.settings ?? {}, {})])
      .withExposedPorts({ container: 6379, host: port })
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/));
    try {
      return { id: (await container.start()).getId(), port };
    } catch (error) {
      const taken = /already allocated|already in use/.test((error as Error).message);
      if (!taken || attempt === 5) throw error;
    }
  }
}
