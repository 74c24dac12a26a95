import type { ConfigOptions, KeyOptions } from 'aerospike';
import { LimitedAerospike } from 'floodgate/aerospike';
import { aerospikeDouble } from '../../../integration/support/servers/aerospike/start-aerospike.js';
import { fixedAt, type Gate, limiterOptions, openAtFirst, type Target } from '../target.js';

const AT_ONCE = 32;
const SERVICE_MS = 40;
/** The client's default: past it, it fails at once with error -7. */
const CONNECTIONS = 100;

/** The real client against the test double of a server, which serves so many commands at a time; the others wait in it. */
export async function aerospikeTarget(): Promise<Target> {
  // Loaded here: where the native addon can't be, the rest of the bench goes on.
  const { default: Aerospike } = await import('aerospike');
  const server = await aerospikeDouble();
  await server.double.faults({ on: 'read', delayMs: SERVICE_MS, workers: AT_ONCE });
  const config: ConfigOptions = {
    hosts: server.hosts,
    log: { level: Aerospike.log.OFF },
    maxConnsPerNode: CONNECTIONS,
    // Its circuit breaker would open at the bare client's errors, which are to be seen.
    maxErrorRate: 100_000,
    errorRateWindow: 1_000,
  };
  const key = new Aerospike.Key('test', 'overload', 'k') as KeyOptions;

  const make = (gate: Gate) => {
    if (gate === 'bare') return { client: Aerospike.client(config), limiter: undefined };
    const client = new LimitedAerospike(Aerospike.Client, limiterOptions(gate, CONNECTIONS), config);
    return { client, limiter: client.limiter };
  };

  return {
    key: 'aerospike',
    name: 'Aerospike (real client, test double of a server)',
    bound: `at most ${CONNECTIONS} connections, ${SERVICE_MS} ms each; the server runs ${AT_ONCE} commands at a time, the others wait inside of it`,
    callers: 2 * AT_ONCE,
    mostLimit: CONNECTIONS,
    async open(gate) {
      const { client, limiter } = make(gate);
      await client.connect();
      await client.put(key, { n: 1 });
      await Promise.all(Array.from({ length: openAtFirst(gate, CONNECTIONS) }, () => client.get(key)));
      if (limiter !== undefined && gate !== 'bare') fixedAt(limiter, gate);
      return { call: () => client.get(key), limiter, close: async () => void client.close() };
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
