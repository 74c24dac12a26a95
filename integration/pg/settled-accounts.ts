import type { LimiterStats } from 'floodgate';
import { expect, vi } from 'vitest';
import type { Subject } from './call-forms.js';

type Counts = Partial<Record<'succeeded' | 'failed' | 'overloaded' | 'ignored', number>>;

/**
 * Waits until every permit is back; then each admission must have ended in one way, these ways, and new work must get
 * through.
 */
export async function expectSettled(subject: Subject, counts: Counts): Promise<LimiterStats> {
  const { limiter } = subject;
  await vi.waitFor(
    () => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0 }),
    WAIT,
  );
  const stats = limiter.stats();
  const { admitted, succeeded, failed, overloaded, ignored, classes } = stats;
  expect(admitted).toBe(succeeded + failed + overloaded + ignored);
  // Of a standalone client, connecting is an operation, too.
  const connected = classes.connection?.succeeded ?? 0;
  expect({ succeeded: succeeded - connected, failed, overloaded, ignored }).toEqual({ ...NONE, ...counts });
  await vi.waitFor(async () => expect(await subject.serve()).toBe(1), WAIT);
  await vi.waitFor(() => expect(limiter.inFlight).toBe(0), WAIT);
  return stats;
}

/** A permit is out for each client that is out, and for each call that waits for one. */
export function expectPermitsToMatchClients({ limiter, pool }: Subject): void {
  if (pool === undefined) return;
  expect(limiter.inFlight).toBe(pool.totalCount - pool.idleCount + pool.waitingCount);
}

const NONE = { succeeded: 0, failed: 0, overloaded: 0, ignored: 0 };
const WAIT = { timeout: 5_000, interval: 5 };
