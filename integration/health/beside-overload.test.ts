import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { note } from '../field-cases/support/note.js';
import { percentile } from '../field-cases/support/statistics.js';
import { startExample } from '../shutdown/example-service.js';

const loadScript = fileURLToPath(new URL('../../build/integration/support/http-load.js', import.meta.url));
const { url } = inject('postgres');
/** 10 connections, 50 ms each. */
const CAPACITY = 200;
const LOAD_S = 6;

test('a service with three times its capacity of work answers its probes within 20 ms', async () => {
  await using service = await startExample(url, { QUERY: 'select pg_sleep(0.05)' });
  const arguments_ = [loadScript, service.address, String(3 * CAPACITY), String(LOAD_S * 1_000)];
  const load = promisify(execFile)(process.execPath, arguments_);
  await sleep(1_000);
  const latencies: number[] = [];
  const statuses = new Set<number>();
  for (const end = performance.now() + (LOAD_S - 2) * 1_000; performance.now() < end; await sleep(20)) {
    for (const path of ['/livez', '/readyz']) {
      const begin = performance.now();
      const response = await fetch(`${service.address}${path}`);
      await response.text();
      latencies.push(performance.now() - begin);
      statuses.add(response.status);
    }
  }
  const answers = JSON.parse((await load).stdout);
  const figures = {
    served: answers[200] / LOAD_S / CAPACITY,
    rejected: answers[503] / LOAD_S / CAPACITY,
    probes: latencies.length,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    slowest: Math.max(...latencies),
  };
  note('probes beside 3x', figures);
  // It was an overload, and what could be served was.
  expect(figures.served).toBeGreaterThan(0.8);
  expect(figures.rejected).toBeGreaterThan(1.5);
  expect(answers.failed).toBe(0);
  expect([...statuses]).toEqual([200]);
  expect(figures.probes).toBeGreaterThan(100);
  expect(figures.p95).toBeLessThan(20);
});
