import { subscribe } from 'node:diagnostics_channel';
import type { FastifyBaseLogger } from 'fastify';
import type { LimitMessage, RejectMessage } from 'floodgate';

/** What the limiters do, for people who read logs. A line for each rejection would be an overload of its own. */
export function logLimiters(log: FastifyBaseLogger): void {
  subscribe('floodgate:limit', (message) => log.debug(message as LimitMessage, 'limit moved'));

  const rejected = new Map<string, number>();
  subscribe('floodgate:reject', (message) => {
    const { limiter } = message as RejectMessage;
    rejected.set(limiter, (rejected.get(limiter) ?? 0) + 1);
  });
  setInterval(() => {
    if (rejected.size > 0)
      log.warn({ rejected: Object.fromEntries(rejected) }, 'rejected in the last second');
    rejected.clear();
  }, 1_000).unref();
}
