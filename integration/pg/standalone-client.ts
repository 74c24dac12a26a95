import { LimitedClient, type LimitedClientOptions } from 'floodgate/pg';
import pg from 'pg';
import { until } from '../support/faults.js';
import { poolConfig, uniqueName } from '../support/pool-under-test.js';

export interface ClientUnderTest extends AsyncDisposable {
  readonly client: LimitedClient;
  readonly limiter: LimitedClient['limiter'];
  /** `application_name` of its connection. */
  readonly name: string;
}

/** A standalone client that is connected and idle, and is ended with the test. */
export async function standaloneClient(
  url: string,
  options: LimitedClientOptions,
  config: pg.PoolConfig = {},
): Promise<ClientUnderTest> {
  const name = uniqueName();
  const client = new LimitedClient(pg.Client, options, poolConfig(url, name, config));
  client.on('error', () => {});
  const before = client.limiter.inFlight;
  await client.connect();
  await untilSetUp(client.limiter, before);
  return { client, limiter: client.limiter, name, [Symbol.asyncDispose]: () => client.end() };
}

/** The permit of connecting stays until the connection is idle, and queries may ride on it until then. */
export function untilSetUp(limiter: LimitedClient['limiter'], inFlight = 0): Promise<void> {
  return until('the connection is set up', () => limiter.inFlight === inFlight);
}
