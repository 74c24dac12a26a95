import type { Client, ConfigOptions, KeyOptions } from 'aerospike';
import { LimitedAerospike } from 'floodgate/aerospike';
import { aerospikeDouble } from '../../integration/support/servers/aerospike/start-aerospike.js';
import {
  type Contest,
  type Contestant,
  type ContestServer,
  compareThroughput,
  sideBySide,
} from './compare-throughput.js';

const CONCURRENT = 50;

/** What the gate takes from a client's throughput on the cheapest command there is, with 50 of them in flight. */
export function aerospikeThroughput(quick: boolean): Promise<void> {
  return compareThroughput(import.meta.url, startDouble, quick);
}

async function startDouble(): Promise<ContestServer> {
  const double = await aerospikeDouble();
  return { url: double.hosts, close: () => double.close() };
}

export async function contestsAt(hosts: string): Promise<readonly Contest[]> {
  // Loaded here: where the native addon can't be, the rest of the bench goes on.
  const { default: Aerospike } = await import('aerospike');
  const config: ConfigOptions = { hosts, log: { level: Aerospike.log.OFF } };
  const key = new Aerospike.Key('test', 'bench', 'k') as KeyOptions;
  const contestant = async (client: Client): Promise<Contestant> => {
    await client.connect();
    await client.put(key, { n: 1 });
    return { work: sideBySide(CONCURRENT, () => client.get(key)), close: async () => client.close() };
  };
  return [
    {
      title: `aerospike, get of one record, ${CONCURRENT} in flight, test double of a server`,
      bare: { name: 'Client', open: () => contestant(Aerospike.client(config)) },
      limited: {
        name: 'LimitedAerospike',
        open: () => contestant(new LimitedAerospike(Aerospike.Client, {}, config)),
      },
      goal: 0.97,
    },
  ];
}
