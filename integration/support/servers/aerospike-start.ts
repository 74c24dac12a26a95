import { aerospikeDouble } from './aerospike-double.js';
import { aerospikeInContainer } from './aerospike-in-container.js';
import type { AerospikeOptions, AerospikeServer, AerospikeWay } from './aerospike-server.js';
import { waitForAerospike } from './aerospike-wait.js';

export { aerospikeDouble, type DoubleControl, type Fault } from './aerospike-double.js';
export type { AerospikeOptions, AerospikeServer, AerospikeWay } from './aerospike-server.js';

const ways: Readonly<Record<AerospikeWay, (options: AerospikeOptions) => Promise<AerospikeServer>>> = {
  address: aerospikeAtAddress,
  container: aerospikeInContainer,
  double: aerospikeDouble,
};

/**
 * A server that answers, got in the first way that works: an address, a container, and where neither is to be had the
 * test double. `FLOODGATE_SERVERS=container` takes nothing less than a real server.
 */
export async function startAerospike(options: AerospikeOptions = {}): Promise<AerospikeServer> {
  const failures: Error[] = [];
  for (const way of order(options)) {
    try {
      return await ways[way](options);
    } catch (error) {
      const { message } = error as Error;
      failures.push(new Error(`${way}: ${message}`, { cause: error }));
      options.log?.(`${way}: ${message}`);
    }
  }
  const reasons = failures.map((failure) => `  - ${failure.message}`).join('\n');
  throw new AggregateError(
    failures,
    `No Aerospike server to be had:\n${reasons}\nSet FLOODGATE_AEROSPIKE_HOSTS=host:port, or start Docker.`,
  );
}

function order({ way, dedicated }: AerospikeOptions): AerospikeWay[] {
  if (way !== undefined) return [way];
  // An address that is set and does not answer is a mistake to hear of, not one to work around.
  if (process.env.FLOODGATE_AEROSPIKE_HOSTS && !dedicated) return ['address'];
  const forced = process.env.FLOODGATE_SERVERS;
  switch (forced) {
    case 'container':
      return ['container'];
    case 'local':
    case 'embedded':
      return ['double'];
    case undefined:
    case '':
      return ['container', 'double'];
    default:
      throw new Error(
        `FLOODGATE_SERVERS must be local, embedded or container, got ${JSON.stringify(forced)}`,
      );
  }
}

/** Somebody else's server: it is used, and nothing else is done to it. */
async function aerospikeAtAddress(): Promise<AerospikeServer> {
  const hosts = process.env.FLOODGATE_AEROSPIKE_HOSTS;
  if (!hosts) throw new Error('FLOODGATE_AEROSPIKE_HOSTS is not set');
  const began = performance.now();
  const version = await waitForAerospike(hosts, 10_000);
  const notOurs = async () => {
    throw new Error(`the server at ${hosts} is not ours to stop, pause or start`);
  };
  return {
    hosts,
    way: 'address',
    version,
    startedInMs: Math.round(performance.now() - began),
    double: undefined,
    owned: false,
    pause: notOurs,
    resume: notOurs,
    stop: notOurs,
    start: notOurs,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
