import { setTimeout as sleep } from 'node:timers/promises';
import { isBackpressureError } from 'floodgate';

/** One call of an open-loop load; times in milliseconds. */
export interface Arrival {
  /** When it was due, since the load began. */
  readonly dueMs: number;
  /** How long the caller's own thread was held by the call. */
  readonly callMs: number;
  /** From the call to its answer, whatever that was. */
  readonly latencyMs: number;
  readonly outcome: 'served' | 'rejected' | 'failed';
  /** Of what failed; rejections are too many to keep. */
  readonly error?: unknown;
}

export interface OpenLoop {
  /** Answered so far. */
  readonly arrivals: readonly Arrival[];
  /** The last call has been made; resolves to how many there were. */
  readonly sent: Promise<number>;
  /** Every call has been answered. */
  readonly answered: Promise<readonly Arrival[]>;
}

/**
 * Calls at a fixed rate and waits for nobody, as the callers of a service do: what is late is made up for. A loop that
 * waits for answers would slow down with the server and hide its overload.
 */
export function openLoop(
  { ratePerSecond, durationMs }: { readonly ratePerSecond: number; readonly durationMs: number },
  call: (index: number) => Promise<unknown>,
): OpenLoop {
  const arrivals: Arrival[] = [];
  const open = new Set<Promise<void>>();
  const begin = performance.now();

  const send = (index: number, dueMs: number) => {
    const startedAt = performance.now();
    const result = call(index);
    const callMs = performance.now() - startedAt;
    const record = (outcome: Arrival['outcome'], error?: unknown) => {
      arrivals.push({ dueMs, callMs, latencyMs: performance.now() - startedAt, outcome, error });
      open.delete(settled);
    };
    const settled: Promise<void> = result.then(
      () => record('served'),
      (error) => (isBackpressureError(error) ? record('rejected') : record('failed', error)),
    );
    open.add(settled);
  };

  const sendAll = async () => {
    const total = Math.round((ratePerSecond * durationMs) / 1000);
    for (let index = 0; index < total; index++) {
      const dueMs = (index * 1000) / ratePerSecond;
      const waitMs = dueMs - (performance.now() - begin);
      if (waitMs > 0) await sleep(waitMs);
      send(index, dueMs);
    }
    return total;
  };

  const sent = sendAll();
  return { arrivals, sent, answered: sent.then(() => Promise.all(open)).then(() => arrivals) };
}
