import type { Client, ConfigOptions, Key, KeyOptions } from 'aerospike';
import { LimitedAerospike, type LimitedAerospikeOptions } from 'floodgate/aerospike';
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
  return underTest(new LimitedAerospike(Aerospike.Client, options, { ...QUIET, ...config, hosts }));
}

export async function bareClient(
  hosts: string,
  config: ConfigOptions = {},
): Promise<ClientUnderTest<Client>> {
  return underTest(Aerospike.client({ ...QUIET, ...config, hosts }));
}

export async function underTest<C extends Client>(client: C): Promise<ClientUnderTest<C>> {
  if (!client.isConnected()) await client.connect();
  const set = `floodgate${process.pid}x${++count}`;
  return {
    client,
    set,
    // The client's types are not written for exactOptionalPropertyTypes.
    key: (name) => new Aerospike.Key('test', set, name) as Key & KeyOptions,
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}

let count = 0;
