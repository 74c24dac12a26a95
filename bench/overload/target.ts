import type { Limiter } from 'floodgate';

/** What stands in front of a client: nothing, a fixed limit, or one that finds itself. */
export type Gate = 'bare' | 'adaptive' | number;

export interface OpenClient {
  readonly call: () => PromiseLike<unknown>;
  /** None in front of a bare client. */
  readonly limiter: Limiter | undefined;
  /** Gives up what still runs or waits, and leaves an idle server behind. */
  close(): Promise<void>;
}

/** A real server and what is asked of it. */
export interface Target extends AsyncDisposable {
  /** For the filter of the command line. */
  readonly key: string;
  readonly name: string;
  /** In words: the workload, and what bounds how much of it can be done. */
  readonly bound: string;
  /** So many callers, each waiting for its answer, keep it busy. */
  readonly callers: number;
  /** Operations that one call sends at once. @default 1 */
  readonly operationsPerCall?: number;
  /** The highest limit that is tried. */
  readonly mostLimit: number;
  open(gate: Gate): Promise<OpenClient>;
  /** Stops the server's processes where they stand. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** For the wrappers. A fixed limit may be moved up to `mostLimit` by `resize`; an adaptive one has all defaults. */
export function limiterOptions(gate: Exclude<Gate, 'bare'>, mostLimit: number) {
  return gate === 'adaptive' ? { adaptive: true } : { maxConcurrentOps: mostLimit };
}

/** How many connections to open before the first call: an adaptive limit begins at 20, and would refuse more. */
export function openAtFirst(gate: Gate, connections: number): number {
  return gate === 'adaptive' ? Math.min(20, connections) : connections;
}

/** At its limit from the first call on. */
export function fixedAt(limiter: Limiter, gate: Exclude<Gate, 'bare'>): Limiter {
  if (gate !== 'adaptive') limiter.resize(gate);
  return limiter;
}
