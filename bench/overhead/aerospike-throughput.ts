import type { Client, ConfigOptions, KeyOptions } from 'aerospike';
import { LimitedAerospike } from 'floodgate/aerospike';
import { aerospikeDouble } from '../../integration/support/servers/aerospike/start-aerospike.js';
import { quantile } from './figures.js';
import { inTurns, type Work } from './in-turns.js';
import { printTable } from './table.js';

const GOAL = 0.97;
const CONCURRENT = 50;

/** What the gate takes from a client's throughput on the cheapest command there is, with 50 of them in flight. */
export async function aerospikeThroughput(quick: boolean): Promise<void> {
  // Loaded here: where the native addon can't be, the rest of the bench goes on.
  const { default: Aerospike } = await import('aerospike');
  const double = await aerospikeDouble();
  const config: ConfigOptions = { hosts: double.hosts, log: { level: Aerospike.log.OFF } };
  const key = new Aerospike.Key('test', 'bench', 'k') as KeyOptions;
  const throughputs = { Client: [1], 'Client again': [] as number[], LimitedAerospike: [] as number[] };
  let ownMs = 0;
  let serverMs = 0;
  try {
    // Connections differ by more than a gate costs, as long as they live: so clients are made anew.
    for (let generation = 0; generation < (quick ? 4 : 16); generation++) {
      const clients = {
        Client: Aerospike.client(config),
        'Client again': Aerospike.client(config),
        LimitedAerospike: new LimitedAerospike(Aerospike.Client, {}, config),
      };
      for (const client of Object.values(clients)) await client.connect();
      await clients.Client.put(key, { n: 1 });
      const before = await cpuOf(double);
      const turns = await inTurns(
        {
          Client: gets(clients.Client, key),
          'Client again': gets(clients['Client again'], key),
          LimitedAerospike: gets(clients.LimitedAerospike, key),
        },
        { rounds: 30, windowMs: 20 },
      );
      const after = await cpuOf(double);
      ownMs += after.ownMs - before.ownMs;
      serverMs += after.serverMs - before.serverMs;
      throughputs['Client again'].push(1 / turns['Client again'].ratio);
      throughputs.LimitedAerospike.push(1 / turns.LimitedAerospike.ratio);
      for (const client of Object.values(clients)) client.close();
    }
  } finally {
    await double.close();
  }
  console.log(`\n## get of one record, ${CONCURRENT} in flight, test double of a server: throughput\n`);
  printTable(
    ['client', 'median', 'quartiles'],
    Object.entries(throughputs).map(([name, ratios]) => [
      name,
      `${quantile(ratios, 0.5).toFixed(3)}x`,
      `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`,
    ]),
  );
  const ratio = quantile(throughputs.LimitedAerospike, 0.5);
  console.log(`\nthe server's process worked ${(serverMs / ownMs).toFixed(2)} of the time that this one did`);
  console.log(`goal: at least ${GOAL}x: ${ratio >= GOAL ? 'met' : 'MISSED'}`);
}

async function cpuOf(double: Awaited<ReturnType<typeof aerospikeDouble>>) {
  const { user, system } = process.cpuUsage();
  return { ownMs: (user + system) / 1000, serverMs: (await double.double.counts()).cpuMs };
}

/** So many side by side, the next as soon as one ends. */
function gets(client: Client, key: KeyOptions): Work {
  return async (count) => {
    let left = count;
    const one = async () => {
      while (left-- > 0) await client.get(key);
    };
    await Promise.all(Array.from({ length: CONCURRENT }, one));
  };
}
