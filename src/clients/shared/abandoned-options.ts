import { millisecondsFrom, type OptionCheck, oneOf } from '../../core/option-checks.js';

/** What becomes of statements that outlive their callers. */
export interface AbandonedStatementOptions {
  /**
   * What becomes of a statement that still runs on the server after the client's own timeout has answered the caller. Its
   * permit and its connection stay taken until the server is done, so that statements at work never exceed the limit.
   *
   * - `'wait'`: let the server finish, as the driver does.
   * - `'cancel'`: ask the server to stop it, which frees the permit within milliseconds. Costs one short connection for
   *   each timeout.
   *
   * @default 'wait'
   */
  readonly abandonedStatements?: 'wait' | 'cancel' | undefined;
  /**
   * After this many milliseconds (from 0) an abandoned statement is cancelled in any case, and a server that can't be
   * reached is given up on: a permit must not be lost to a network that swallows bytes. @default 60000
   */
  readonly abandonedTimeoutMs?: number | undefined;
}

export interface ResolvedAbandonedOptions {
  readonly abandonedStatements: 'wait' | 'cancel';
  readonly abandonedTimeoutMs: number;
}

export const ABANDONED_CHECKS: Readonly<Record<keyof AbandonedStatementOptions, OptionCheck>> = {
  abandonedStatements: oneOf('wait', 'cancel'),
  abandonedTimeoutMs: millisecondsFrom(0),
};

export function resolveAbandoned(options: AbandonedStatementOptions): ResolvedAbandonedOptions {
  return {
    abandonedStatements: options.abandonedStatements ?? 'wait',
    abandonedTimeoutMs: options.abandonedTimeoutMs ?? 60_000,
  };
}
