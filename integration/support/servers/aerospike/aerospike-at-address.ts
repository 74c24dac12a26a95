import { serverAtAddress } from '../shared/server-at-address.js';
import type { AerospikeOptions, AerospikeServer } from './aerospike-server.js';
import { waitForAerospike } from './wait-for-aerospike.js';

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export function aerospikeAtAddress(options: AerospikeOptions): Promise<AerospikeServer> {
  const at = { variable: 'FLOODGATE_AEROSPIKE_HOSTS', starter: 'startAerospike' };
  return serverAtAddress(at, options, async (hosts) => {
    const version = await waitForAerospike(hosts, { deadlineMs: 10_000 });
    return { hosts, version, double: undefined };
  });
}
