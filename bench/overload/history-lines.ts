import type { Limiter } from 'floodgate';
import { duration } from '../demo/format.js';

/** Why a limit moved, a line for each change. */
export function historyLines(limiter: Limiter): string[] {
  const changes = limiter.history();
  const begin = changes[0]?.at ?? 0;
  return changes.map(({ at, from, to, reason, window }) => {
    const seconds = ((at - begin) / 1000).toFixed(2).padStart(6);
    const figures =
      window === undefined
        ? ''
        : `  [${Math.round(window.endedAt! - window.startedAt!)} ms, ${window.succeeded} ok, ${window.overloaded} overload, ` +
          `${window.rejected} rejected, in flight ${window.meanInFlight?.toFixed(1)}, ${duration(window.meanLatency)}, ` +
          `pool wait ${duration(window.meanPoolWait)}, work ${window.workRate?.toFixed(0)}/s]`;
    return `${seconds} s  ${from} -> ${to}  ${reason}${figures}`;
  });
}
