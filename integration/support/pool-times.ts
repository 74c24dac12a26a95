import type { Limiter } from 'floodgate';

/** What a limiter tells from now on of waits for a connection, and of the opening of connections: milliseconds. */
export function timesOf(limiter: Limiter) {
  const times = { waits: [] as number[], openings: [] as number[] };
  limiter.subscribe({
    onPoolWait: (ms) => times.waits.push(ms),
    onConnectTime: (ms) => times.openings.push(ms),
  });
  return times;
}
