import { setTimeout as sleep } from 'node:timers/promises';

/** The time a load runs in; tests hand in a virtual one and never sleep. */
export interface LoadClock {
  /** Milliseconds, never going back. */
  now(): number;
  pause(ms: number): Promise<void>;
}

export const systemClock: LoadClock = {
  now: () => performance.now(),
  pause: (ms) => sleep(ms),
};
