import type { Client, ConfigOptions, Key, KeyOptions } from 'aerospike';
import { LimitedAerospike, type LimitedAerospikeOptions } from 'floodgate/aerospike';
import { afterAll } from 'vitest';
import { loadAerospike } from './load-aerospike.js';

export const Aerospike = await loadAerospike();

/** A connected client of one test with a set of its own, closed when the test is over. */
export interface ClientUnderTest<C extends Client = LimitedAerospike> extends AsyncDisposable {
  readonly client: C;
  readonly set: string;
  key(name: string | number): Key & KeyOptions;
}

const QUIET: ConfigOptions = {
  log: { level: Aerospike.log.OFF },
  // Its circuit breaker would open in the midst of tests that want errors. It takes at most 100 a second.
  maxErrorRate: 100_000,
  errorRateWindow: 1_000,
};

export async function limitedClient(
  hosts: string,
  options: LimitedAerospikeOptions = {},
  config: ConfigOptions = {},
): Promise<ClientUnderTest> {
  return underTest(new LimitedAerospike(Aerospike.Client, options, { ...QUIET, ...config, hosts }), hosts);
}

export async function bareClient(
  hosts: string,
  config: ConfigOptions = {},
): Promise<ClientUnderTest<Client>> {
  return underTest(Aerospike.client({ ...QUIET, ...config, hosts }), hosts);
}

export async function underTest<C extends Client>(client: C, hosts: string): Promise<ClientUnderTest<C>> {
  if (!client.isConnected()) await client.connect();
  const set = `floodgate${run}x${++count}`;
  if (hosts === process.env.FLOODGATE_AEROSPIKE_HOSTS) leftThere.push(set);
  return {
    client,
    set,
    key: (name) => keyIn(set, name),
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}

export function keyIn(set: string, name: string | number): Key & KeyOptions {
  // The client's types are not written for exactOptionalPropertyTypes.
  return new Aerospike.Key('test', set, name) as Key & KeyOptions;
}

/** Nobody has used these sets before, whatever the server has seen. */
const run = `${Date.now().toString(36)}${process.pid.toString(36)}`;
let count = 0;

/** Sets on a server that outlives the tests: emptied at the end of each file. */
const leftThere: string[] = [];

afterAll(async () => {
  const hosts = process.env.FLOODGATE_AEROSPIKE_HOSTS;
  if (hosts === undefined || leftThere.length === 0) return;
  const client = await Aerospike.client({ ...QUIET, hosts }).connect();
  for (const set of leftThere) await client.truncate('test', set, 0);
  client.close();
});
