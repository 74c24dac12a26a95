import { LimitedRedis } from 'floodgate/ioredis';
import { Redis } from 'ioredis';
import { startRedis } from '../../integration/support/servers/redis/start-redis.js';
import { inTurns, type Work } from './in-turns.js';
import { printTable } from './table.js';

const GOAL = 0.95;

interface Load {
  readonly name: string;
  readonly autoPipelining?: boolean;
  readonly work: (client: Redis) => Work;
}

const loads: readonly Load[] = [
  { name: 'get, one after the other', work: (client) => concurrent(1, () => client.get('k')) },
  { name: 'get, 500 concurrent', work: (client) => concurrent(500, () => client.get('k')) },
  { name: 'pipelines of 100 gets', work: pipelines },
  {
    name: 'get, 500 concurrent, auto-pipelining',
    autoPipelining: true,
    work: (client) => concurrent(500, () => client.get('k')),
  },
];

/** What the gate takes from ioredis' throughput on the cheapest command there is. */
export async function ioredisThroughput(quick: boolean): Promise<void> {
  const server = await startRedis();
  try {
    for (const load of loads) await compare(server.url, load, quick);
  } finally {
    await server.close();
  }
}

async function compare(
  url: string,
  { name, autoPipelining = false, work }: Load,
  quick: boolean,
): Promise<void> {
  const options = { enableAutoPipelining: autoPipelining };
  const bare = new Redis(url, options);
  const limited = new LimitedRedis(new Redis(url, options), { maxConcurrentOps: 1_000 });
  await bare.set('k', 'value');
  const turns = await inTurns(
    { Redis: work(bare), LimitedRedis: work(limited) },
    { rounds: quick ? 11 : 41, windowMs: quick ? 150 : 400 },
  );
  bare.disconnect();
  limited.disconnect();
  const rows = Object.entries(turns).map(([client, { min, median, ratio, ratioFrom, ratioTo }]) => [
    client,
    (1e9 / min).toFixed(0),
    (1e9 / median).toFixed(0),
    `${(1 / ratio).toFixed(3)}x`,
    `${(1 / ratioTo).toFixed(3)} to ${(1 / ratioFrom).toFixed(3)}`,
  ]);
  console.log(`\n## ${name}: commands per second\n`);
  printTable(['client', 'best', 'median', 'ratio', 'quartiles'], rows);
  const throughput = 1 / turns.LimitedRedis.ratio;
  const met = throughput >= GOAL ? 'met' : 'MISSED';
  console.log(`\ngoal: LimitedRedis >= ${GOAL}x the throughput of Redis: ${met} (${throughput.toFixed(3)}x)`);
}

function concurrent(callers: number, call: () => Promise<unknown>): Work {
  return async (count) => {
    let left = count;
    const one = async () => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: callers }, one));
  };
}

const PIPELINE = 100;

/** Five at a time, so that the server has always one to work on. */
function pipelines(client: Redis): Work {
  const work = concurrent(5, () => {
    const pipeline = client.pipeline();
    for (let index = 0; index < PIPELINE; index++) pipeline.get('k');
    return pipeline.exec();
  });
  return (count) => work(Math.ceil(count / PIPELINE));
}
