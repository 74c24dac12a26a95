/*
 * A service that shuts down without losing a request: every request it has accepted gets a whole answer, and the process
 * ends by its deadline, whatever hangs.
 *
 *     npm run build && DATABASE_URL=postgres://... node build/examples/graceful-shutdown.js
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Health } from 'floodgate/health';
import { toHttpResponse } from 'floodgate/http';
import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';

const { env } = process;
/** How long load balancers take to see that the instance is not ready: the period of their probe, and some. */
const NOTICE_MS = Number(env.NOTICE_MS ?? 5_000);
/** From the signal to the end. Kubernetes kills after `terminationGracePeriodSeconds`, 30 s. */
const DEADLINE_MS = Number(env.DEADLINE_MS ?? 25_000);
/** Of that, for the last answers and for the connections to close. */
const LAST_MS = Number(env.LAST_MS ?? 1_000);
const QUERY = env.QUERY ?? 'select now()';

const pool = new LimitedPool(
  pg.Pool,
  { name: 'orders', maxConcurrentOps: 20 },
  { connectionString: env.DATABASE_URL, max: 10 },
);
// As every application should: without it, an idle connection that breaks ends the process.
pool.on('error', (error) => console.error(`an idle connection is lost: ${error.message}`));

const health = new Health({ required: { orders: pool } });
/** Requests that have been accepted and not answered. */
const open = new Set<ServerResponse>();
const count = { accepted: 0, answered: 0 };
let stopping = false;

const server = createServer((request, response) => {
  if (health.handler(request, response)) return;
  count.accepted++;
  open.add(response);
  response.once('finish', () => count.answered++);
  response.once('close', () => open.delete(response));
  pool.query(QUERY).then(
    ({ rows }) => answer(response, json(200, rows)),
    (error) => {
      const busy = toHttpResponse(error, { accept: request.headers.accept });
      answer(response, busy ?? json(500, { error: 'internal' }));
    },
  );
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function json(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const SHUTTING_DOWN: Answer = {
  status: 503,
  headers: { 'content-type': 'text/plain', 'retry-after': '1' },
  body: 'shutting down\n',
};

/** The first answer counts: at the deadline, a request may get one before its query has. */
function answer(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.writableEnded) return;
  // To a client that keeps its connection: the next request goes elsewhere.
  if (stopping) response.setHeader('connection', 'close');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status, headers);
  response.end(body);
}

async function shutDown(signal: NodeJS.Signals): Promise<void> {
  if (stopping) return;
  stopping = true;
  const deadline = performance.now() + DEADLINE_MS;
  const left = (reserveMs = 0) => Math.max(0, deadline - reserveMs - performance.now());
  const within = (ms: number, work: Promise<unknown>) => Promise.race([work, sleep(ms)]);
  console.log(`${signal}: not ready`);

  // 1. Not ready. What still comes is served, until everybody has taken notice.
  health.beginShutdown();
  await sleep(Math.min(NOTICE_MS, left(LAST_MS)));

  // 2. No new connections; idle ones are closed. What is under way goes on.
  const closed = new Promise((resolve) => server.close(resolve));
  await within(left(LAST_MS), closed);

  // 3. The database: no new work. Whatever hangs by now is answered with 503.
  await pool.limiter.drain({ timeoutMs: left(LAST_MS) });
  for (const response of open) answer(response, SHUTTING_DOWN);
  await within(left() / 2, closed);
  await within(left(), pool.end());

  console.log(`answered ${count.answered} of ${count.accepted}`);
  // Not by leaving it to the event loop: a query that hangs would keep the process.
  process.exit(0);
}

process.on('SIGTERM', shutDown);
process.on('SIGINT', shutDown);

server.listen(Number(env.PORT ?? 3000), () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
