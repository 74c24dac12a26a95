import type { LimiterStats } from 'floodgate';
import { expect, vi } from 'vitest';
import type { ClientUnderTest } from './client-under-test.js';

type Counts = Partial<Record<'succeeded' | 'failed' | 'overloaded' | 'ignored', number>>;

/** Every permit is back, each admission since `before` has ended in one way, these ways, and new work gets through. */
export async function expectSettled(
  subject: ClientUnderTest,
  before: LimiterStats,
  counts: Counts,
): Promise<void> {
  const { limiter } = subject.client;
  const stats = limiter.stats();
  expect(stats).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0 });
  const ended = { succeeded: 0, failed: 0, overloaded: 0, ignored: 0 };
  for (const name of Object.keys(ended) as (keyof typeof ended)[]) ended[name] = stats[name] - before[name];
  expect(ended).toEqual({ succeeded: 0, failed: 0, overloaded: 0, ignored: 0, ...counts });
  expect(stats.admitted).toBe(stats.succeeded + stats.failed + stats.overloaded + stats.ignored);
  await serves(subject);
}

export async function serves({ client, key }: ClientUnderTest): Promise<void> {
  await vi.waitFor(() => client.put(key('served'), { n: 1 }), { timeout: 5_000, interval: 20 });
  expect((await client.get(key('served'))).bins).toMatchObject({ n: 1 });
  expect(client.limiter.inFlight).toBe(0);
}
