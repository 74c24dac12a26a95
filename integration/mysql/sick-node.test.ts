import { LimitedMysql } from 'floodgate/mysql2';
import promises from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { note } from '../field-cases/support/note.js';
import { latencies, median } from '../field-cases/support/statistics.js';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { openLoop } from '../support/open-loop.js';
import { poolConfig } from './support/client-under-test.js';
import { sharedMysql } from './support/shared-server.js';

const url = await sharedMysql();
const LIMIT = 20;

/** 400 calls a second, to the two nodes in turns; after half a second the network to one of them swallows all. */
test('one node that swallows bytes leaves the healthy one its calls', async () => {
  const { hostname, port } = new URL(url);
  await using proxy = await startFaultProxy({ host: hostname, port: Number(port) });
  const cluster = new LimitedMysql(promises.createPoolCluster, { maxConcurrentOps: LIMIT });
  onTestFinished(() => void cluster.end().catch(() => {}));
  cluster.add('sick', poolConfig(throughProxy(url, proxy), undefined, { connectionLimit: LIMIT }));
  cluster.add('healthy', poolConfig(url, undefined, { connectionLimit: LIMIT }));
  const calls = (id: string) => cluster.of(id).query('select 1');
  await Promise.all(['sick', 'healthy'].map(calls));

  const load = { ratePerSecond: 200, durationMs: 3_000 };
  const sick = openLoop(load, () => calls('sick'));
  const healthy = openLoop(load, () => calls('healthy'));
  setTimeout(() => proxy.pause(), 500);
  const arrivals = await healthy.answered;
  const { nodes, inFlight } = cluster.limiter.stats();
  await expect(calls('sick')).rejects.toThrow(
    `query rejected, node 'sick' holds ${nodes.sick!.inFlight} permits and may hold`,
  );
  proxy.resume();
  await sick.answered;

  const served = latencies(arrivals, 'served');
  note('healthy', { share: served.length / arrivals.length, p50: median(served) });
  note('sick', { held: nodes.sick!.inFlight, rejected: nodes.sick!.rejected });
  expect(served.length / arrivals.length).toBeGreaterThanOrEqual(0.9);
  expect(nodes.sick!.inFlight).toBeGreaterThanOrEqual(LIMIT / 2);
  expect(inFlight).toBeLessThan(LIMIT);
  expect(cluster.limiter.stats().rejectedByReason.bulkhead).toBeGreaterThan(arrivals.length / 2);
  await expect.poll(() => cluster.limiter.inFlight).toBe(0);
  await calls('sick');
});
