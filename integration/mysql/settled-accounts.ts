import type { Limiter, LimiterStats } from 'floodgate';
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
  const { admitted, ...ended } = workOf(limiter);
  expect(ended).toEqual({ ...NONE, ...counts });
  expect(admitted).toBe(ended.succeeded + ended.failed + ended.overloaded + ended.ignored);
  await vi.waitFor(async () => expect(await subject.serve()).toBe(1), WAIT);
  await vi.waitFor(() => expect(limiter.inFlight).toBe(0), WAIT);
  return stats;
}

/** Without the permits under which standalone connections were opened. */
export function workOf(limiter: Limiter) {
  const { classes, ...all } = limiter.stats();
  const opened = classes.connection ?? { ...NONE, admitted: 0 };
  return {
    admitted: all.admitted - opened.admitted,
    succeeded: all.succeeded - opened.succeeded,
    failed: all.failed - opened.failed,
    overloaded: all.overloaded - opened.overloaded,
    ignored: all.ignored - opened.ignored,
  };
}

const NONE = { succeeded: 0, failed: 0, overloaded: 0, ignored: 0 };
const WAIT = { timeout: 5_000, interval: 5 };
