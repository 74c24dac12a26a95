import { firstWayThatWorks } from '../shared/first-way-that-works.js';
import { aerospikeAtAddress } from './aerospike-at-address.js';
import { aerospikeDouble } from './aerospike-double.js';
import { aerospikeInContainer } from './aerospike-in-container.js';
import type { AerospikeOptions, AerospikeServer } from './aerospike-server.js';

export { aerospikeDouble, type DoubleControl, type Fault } from './aerospike-double.js';
export type { AerospikeOptions, AerospikeServer, AerospikeWay } from './aerospike-server.js';

/**
 * A server that answers, got in the first way that works: an address, a container, and where neither is to be had the
 * test double. `FLOODGATE_SERVERS=container` takes nothing less than a real server.
 */
export function startAerospike(options: AerospikeOptions = {}): Promise<AerospikeServer> {
  return firstWayThatWorks(
    {
      name: 'Aerospike',
      ways: { address: aerospikeAtAddress, container: aerospikeInContainer, double: aerospikeDouble },
      addressVariable: 'FLOODGATE_AEROSPIKE_HOSTS',
      order: {
        unset: ['address', 'container', 'double'],
        local: ['address', 'double'],
        embedded: ['address', 'double'],
        container: ['address', 'container'],
      },
      advice: 'Set FLOODGATE_AEROSPIKE_HOSTS=host:port, or start Docker.',
    },
    options,
  );
}
