// Its own process (`node --expose-gc`): one pool under ten times its capacity, then what it holds, as JSON.
import { pathToFileURL } from 'node:url';
import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';

export interface Held {
  readonly offered: number;
  /** Served or refused. */
  readonly answered: number;
  readonly waiting: number;
  readonly heapGrowth: number;
}

const CONNECTIONS = 10;
const SERVICE_MS = 50;
const OVERLOAD = 10;
const TICK_MS = 10;

async function hold(kind: string, connectionString: string, seconds: number, limit: number): Promise<Held> {
  const options = { connectionString, max: CONNECTIONS };
  const pool =
    kind === 'LimitedPool'
      ? new LimitedPool(pg.Pool, { maxConcurrentOps: limit }, options)
      : new pg.Pool(options);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.query('select pg_sleep(0.1)')));
  const perMs = (OVERLOAD * CONNECTIONS) / SERVICE_MS;
  const before = heapUsed();
  const startedAt = performance.now();
  let offered = 0;
  let answered = 0;
  const answer = () => {
    answered++;
  };
  // Open loop: so many a second are due, whether the ones before were answered or not.
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= seconds * 1000) break;
    for (const due = Math.floor(elapsedMs * perMs); offered < due; offered++) {
      pool
        .query(`select pg_sleep(${SERVICE_MS / 1000}), $1::text`, [`order ${offered}`])
        .then(answer, answer);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  return { offered, answered, waiting: offered - answered, heapGrowth: heapUsed() - before };
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const [, , kind, url, seconds, limit] = process.argv;
  const held = await hold(kind!, url!, Number(seconds), Number(limit));
  // Without waiting for what is queued: at ten times the load that would take ten times as long.
  process.stdout.write(JSON.stringify(held), () => process.exit());
}
