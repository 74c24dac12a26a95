/*
 * A service that shuts down without losing a request: every request it has accepted gets a whole answer, and the process
 * ends by its deadline, whatever hangs.
 *
 *     npm run build && DATABASE_URL=postgres://... node build/examples/graceful-shutdown.js
 */
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBackpressureError } from 'floodgate';
import { Health } from 'floodgate/health';
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
    ({ rows }) => answer(response, 200, rows),
    (error) => {
      const rejection = findBackpressureError(error);
      if (rejection === undefined) return answer(response, 500, { error: 'internal' });
      answer(response, 503, { error: 'busy' }, rejection.retryAfterSeconds);
    },
  );
});

/** The first answer counts: at the deadline, a request may get one before its query has. */
function answer(response: ServerResponse, status: number, body: unknown, retryAfterSeconds?: number): void {
  if (response.writableEnded) return;
  const text = JSON.stringify(body);
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  // To a client that keeps its connection: the next request goes elsewhere.
  if (stopping) headers.connection = 'close';
  response.writeHead(status, headers);
  response.end(text);
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
  for (const response of open) answer(response, 503, { error: 'shutting down' }, 1);
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
