/** The time that retries wait in; tests and simulators hand in one of their own. */
export interface RetryClock {
  /** Milliseconds, never going back. */
  now(): number;
  /** Calls back once, `ms` milliseconds from now, unless the returned function is called before. */
  after(ms: number, fire: () => void): () => void;
}

/** Its timers keep the process alive: somebody waits for what follows. */
export const systemClock: RetryClock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
