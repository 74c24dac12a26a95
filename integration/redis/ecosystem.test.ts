import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Queue, Worker } from 'bullmq';
import { isBackpressureError, Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { expectSettled, fill, limitedRedis, tally, times, untilReady } from './support/clients.js';
import { type Ioredis, versions } from './support/versions.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis({ dedicated: true, settings: { 'maxmemory-policy': 'noeviction' } });
});
afterAll(() => server.close());

test('BullMQ: a queue and a worker with a limiter each; a burst of adds is refused, and no job is lost or stalls', async () => {
  const queueClient = limited(50);
  const workerClient = limited(100);
  const queue = new Queue('jobs', { connection: queueClient });
  let done = 0;
  const failures: unknown[] = [];
  const worker = new Worker('jobs', async () => void done++, { connection: workerClient, concurrency: 5 });
  worker.on('error', (error) => failures.push(error));
  worker.on('stalled', (id) => failures.push(id));
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);

  expect(await tally(times(40, (index) => queue.add('job', { index })))).toMatchObject({ served: 40 });
  await vi.waitFor(() => expect(done).toBe(40), { timeout: 10_000 });
  const burst = await tally(times(500, (index) => queue.add('job', { index })));
  expect(burst.failures).toEqual([]);
  expect(burst.refused).toBeGreaterThan(0);
  await vi.waitFor(() => expect(done).toBe(40 + burst.served), { timeout: 20_000 });
  expect(failures).toEqual([]);
  // The worker waits for jobs on a duplicate, in the class of blocking commands.
  await vi.waitFor(() =>
    expect(workerClient.limiter.stats().classes.blocking).toMatchObject({ running: 1, inFlight: 0 }),
  );
  await worker.close();
  await queue.close();
  queueClient.disconnect();
  workerClient.disconnect();
  await expectSettled(queueClient.limiter);
  await expectSettled(workerClient.limiter);
  expect(workerClient.limiter.stats().rejected).toBe(0);
}, 60_000);

test('rate-limiter-flexible: consumes, refuses by its own count, and hands a BackpressureError on', async () => {
  await using client = await limitedRedis(versions[0]![1], server.url, { maxConcurrentOps: 10 });
  for (const keyPrefix of ['by-script', 'by-multi']) {
    const limiter = new RateLimiterRedis({ storeClient: client.redis, points: 3, duration: 5, keyPrefix });
    for (let left = 2; left >= 0; left--) expect((await limiter.consume('user')).remainingPoints).toBe(left);
    await expect(limiter.consume('user')).rejects.toMatchObject({ remainingPoints: 0 });
    expect(await limiter.get('user')).toMatchObject({ consumedPoints: 4 });
    const release = fill(client.limiter);
    const error = await limiter.consume('user').catch((thrown: unknown) => thrown);
    expect(isBackpressureError(error)).toBe(true);
    release();
  }
  await expectSettled(client.limiter);
});

test('OpenTelemetry: a span for each command that was sent, none for what was refused, and no unhandled rejection less', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const instrumentation = new IORedisInstrumentation({ requireParentSpan: false });
  instrumentation.setTracerProvider(provider);
  const restore = instrument(instrumentation, Redis);
  try {
    await using client = await limitedRedis({ Redis } as Ioredis, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    exporter.reset();
    expect(await tally(times(20, () => redis.get('k')))).toMatchObject({ served: 5, refused: 15 });
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(times(5, () => 'get'));
    exporter.reset();
    expect(await redis.pipeline().get('a').get('b').exec()).toHaveLength(2);
    await redis.lpush('list', 'v');
    await expect(redis.get('list')).rejects.toThrow('WRONGTYPE');
    expect(exporter.getFinishedSpans()).toHaveLength(4);
    await expectSettled(limiter);
    expect(limiter.stats().classes.command).toMatchObject({ failed: 1 });
  } finally {
    restore();
    await provider.shutdown();
  }
});

test('two clients share one limiter', async () => {
  const limiter = new Limiter({ maxConcurrentOps: 5 });
  const clients = times(2, () => new LimitedRedis(Redis, { limiter }, server.url));
  await Promise.all(clients.map((client) => untilReady(client)));
  const calls = times(20, (index) => clients[index % 2]!.get('k'));
  expect(await tally(calls)).toMatchObject({ served: 5, refused: 15 });
  for (const client of clients) client.disconnect();
  await expectSettled(limiter);
});

function limited(maxConcurrentOps: number): LimitedRedis<Redis> {
  const client = new LimitedRedis(new Redis(server.url, { maxRetriesPerRequest: null }), {
    maxConcurrentOps,
  });
  client.on('error', () => {});
  return client;
}

/** Modules are loaded by the test runner, past the hooks of the instrumentation: its patch is applied by hand. */
function instrument(instrumentation: IORedisInstrumentation, module: unknown): () => void {
  type Definition = { patch(exports: unknown): unknown; unpatch(exports: unknown): void };
  const [definition] = (instrumentation as unknown as { init(): Definition[] }).init();
  definition!.patch(module);
  return () => definition!.unpatch(module);
}
