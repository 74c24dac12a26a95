import { LimitedRedis } from 'floodgate/ioredis';
import { Redis } from 'ioredis';
import { startRedis } from '../../integration/support/servers/redis/start-redis.js';
import { type Contest, type Contestant, compareThroughput, sideBySide } from './compare-throughput.js';
import type { Work } from './in-turns.js';

interface Load {
  readonly name: string;
  readonly together?: boolean;
  readonly autoPipelining?: boolean;
  readonly work: (client: Redis) => Work;
}

const loads: readonly Load[] = [
  {
    name: 'get, one after the other',
    together: true,
    work: (client) => sideBySide(1, () => client.get('k')),
  },
  { name: 'get, 500 concurrent', work: (client) => sideBySide(500, () => client.get('k')) },
  { name: 'pipelines of 100 gets', work: pipelines },
  {
    name: 'get, 500 concurrent, auto-pipelining',
    autoPipelining: true,
    work: (client) => sideBySide(500, () => client.get('k')),
  },
];

/** What the gate takes from ioredis' throughput on the cheapest command there is. */
export function ioredisThroughput(quick: boolean): Promise<void> {
  return compareThroughput(import.meta.url, startRedis, quick);
}

export async function contestsAt(url: string): Promise<readonly Contest[]> {
  return loads.map((load) => contestOf(url, load));
}

function contestOf(url: string, { name, together = false, autoPipelining = false, work }: Load): Contest {
  const options = { enableAutoPipelining: autoPipelining };
  const contestant = async (client: Redis): Promise<Contestant> => {
    await client.set('k', 'value');
    return { work: work(client), close: async () => client.disconnect() };
  };
  return {
    title: `ioredis, ${name}`,
    bare: { name: 'Redis', open: () => contestant(new Redis(url, options)) },
    limited: {
      name: 'LimitedRedis',
      open: () => contestant(new LimitedRedis(new Redis(url, options), { maxConcurrentOps: 1_000 })),
    },
    together,
    goal: 0.95,
  };
}

const PIPELINE = 100;

/** Five at a time, so that the server has always one to work on. */
function pipelines(client: Redis): Work {
  const work = sideBySide(5, () => {
    const pipeline = client.pipeline();
    for (let index = 0; index < PIPELINE; index++) pipeline.get('k');
    return pipeline.exec();
  });
  return (count) => work(Math.ceil(count / PIPELINE));
}
