/**
 * When calls arrive, in milliseconds after the start: endless, ascending, and known before the load begins, so that
 * every contender meets the same ones and none can slow them down.
 */
export type Arrivals = Iterable<number>;

export function* evenArrivals(perSecond: number): Generator<number, never> {
  for (let count = 0; ; count++) yield (count * 1000) / perSecond;
}

/** Callers that know nothing of each other: exponential gaps (a Poisson process), the same ones for the same seed. */
export function* poissonArrivals(perSecond: number, seed: number): Generator<number, never> {
  const random = mulberry32(seed);
  let at = 0;
  for (;;) {
    at += (-Math.log(1 - random()) * 1000) / perSecond;
    yield at;
  }
}

/** Numbers from 0 up to 1 (Tommy Ettinger's mulberry32, public domain): good enough for load, and the same everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
