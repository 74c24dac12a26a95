import { ownedServer } from '../shared/owned-server.js';
import { serverInContainer } from '../shared/server-in-container.js';
import type { AerospikeOptions, AerospikeServer } from './aerospike-server.js';
import { waitForAerospike } from './wait-for-aerospike.js';

/** A real server in a container of its own. Its namespace `test` is in memory: a stop empties it. */
export async function aerospikeInContainer(options: AerospikeOptions): Promise<AerospikeServer> {
  const { engine, facts } = await serverInContainer<undefined>(
    {
      image: 'aerospike/aerospike-server:8.0',
      // What it tells its clients to connect to.
      environment: (host, port) => ({ SERVICE_PORT: String(port), ACCESS_ADDRESS: host }),
      stopSignal: () => 'SIGKILL',
      answers: (host, port, givenUp) => waitForAerospike(`${host}:${port}`, { deadlineMs: 60_000, givenUp }),
    },
    options.log,
  );
  const hosts = `${facts.host}:${facts.port}`;
  const { way, version, startedInMs } = facts;
  return ownedServer('Aerospike', { hosts, way, version, startedInMs, double: undefined }, engine, undefined);
}
