import { isBackpressureError } from './find-backpressure-error.js';
import type { Outcome } from './outcome.js';

/**
 * Outcomes of the errors that any networked operation may meet, by `code` (Node's system errors) or by `name` (DOM
 * exceptions of aborted and timed-out calls).
 */
const BY_CODE: Readonly<Record<string, Outcome>> = {
  ECONNREFUSED: 'overload',
  ECONNRESET: 'overload',
  ECONNABORTED: 'overload',
  ETIMEDOUT: 'overload',
  EPIPE: 'overload',
  EHOSTUNREACH: 'overload',
  EHOSTDOWN: 'overload',
  ENETUNREACH: 'overload',
  ENETDOWN: 'overload',
  EAI_AGAIN: 'overload',
  EMFILE: 'overload',
  ABORT_ERR: 'ignored',
  ERR_CANCELED: 'ignored',
};
const BY_NAME: Readonly<Record<string, Outcome>> = { TimeoutError: 'overload', AbortError: 'ignored' };

/** What a system error says, or `undefined` for errors of other kinds. */
export function outcomeOfSystemError(error: unknown): Outcome | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // Another limiter's rejection is not this server's doing.
  if (isBackpressureError(error)) return 'ignored';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
  if (typeof name === 'string' && Object.hasOwn(BY_NAME, name)) return BY_NAME[name];
  return undefined;
}
