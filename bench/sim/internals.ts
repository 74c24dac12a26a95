import type { Limiter, Permit } from 'floodgate';

/** What the wrappers of clients use of a limiter, and the package's types don't show. */
export interface WrapperDoor {
  readonly classes: { get(name: string): unknown };
  clampWeight(operationClass: unknown, weight: number): number;
  refusal(operationClass: unknown, weight: number): string | undefined;
  countRejected(operationClass: unknown, reason: string): void;
  permitForCheckout(operationClass: unknown, weight: number): Permit;
  recordLatency(operationClass: unknown, latencyMs: number, outcome: string, now: number): void;
  recordPoolWait(waitMs: number, now: number): void;
}

/** The simulated client goes the way a pool's wrapper goes: a permit for the checkout, latency and pool wait apart. */
export function wrapperDoor(limiter: Limiter): WrapperDoor {
  return (limiter as unknown as { gate: WrapperDoor }).gate;
}
