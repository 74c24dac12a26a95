import { ownedAerospike } from './aerospike-owned.js';
import type { AerospikeOptions, AerospikeServer } from './aerospike-server.js';
import { waitForAerospike } from './aerospike-wait.js';
import { freePort } from './free-port.js';
import { startWatchdog } from './watchdog.js';

const image = 'aerospike/aerospike-server:8.0';

/** For the case that Testcontainers' own reaper is switched off; does what it can where there is a docker CLI. */
const cleanup = `[ -z "$line" ] || { docker unpause "$line"; docker rm -fv "$line"; }`;

/** A real server in a container of its own. Its namespace `test` is in memory: a stop empties it. */
export async function aerospikeInContainer(options: AerospikeOptions): Promise<AerospikeServer> {
  const began = performance.now();
  // Loaded late: it takes a while, and the other ways do without it.
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const runtime = await getContainerRuntimeClient();
  const watchdog = await startWatchdog(cleanup).catch(() => undefined);
  try {
    options.log?.(`container: starting ${image}`);
    const port = await freePort();
    const { host } = runtime.info.containerRuntime;
    const started = await new GenericContainer(image)
      // What it tells its clients to connect to.
      .withEnvironment({ SERVICE_PORT: String(port), ACCESS_ADDRESS: host })
      .withExposedPorts({ container: port, host: port })
      .start();
    watchdog?.note(started.getId());
    const container = runtime.container.getById(started.getId());
    const isUp = async () => (await container.inspect()).State.Running;
    const hosts = `${host}:${port}`;
    const version = await waitForAerospike(hosts, 60_000);
    const startedInMs = Math.round(performance.now() - began);
    return ownedAerospike(
      { hosts, way: 'container', version, startedInMs, double: undefined },
      {
        pause: async () => void (await container.pause()),
        resume: async () => void (await container.unpause()),
        async stop() {
          if (!(await isUp())) return;
          const gone = container.wait();
          await container.kill({ signal: 'SIGKILL' });
          await gone;
        },
        async start() {
          if (!(await isUp())) await container.start();
          await waitForAerospike(hosts, 60_000);
        },
        async remove() {
          await container.remove({ force: true, v: true });
          watchdog?.note('');
          await watchdog?.release();
        },
      },
    );
  } catch (error) {
    await watchdog?.release();
    throw error;
  }
}
