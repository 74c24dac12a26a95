/**
 * Recent latency percentiles in constant memory (2 KiB) and constant time per sample.
 *
 * Buckets grow by 2^(1/8), so a reported percentile is within 4.5 % of the true one, from 1 microsecond to 134 seconds.
 * Two generations take turns: a percentile covers the last 10 to 20 seconds, never older samples.
 */
export class LatencyHistogram {
  #current = new Uint32Array(BUCKETS);
  #previous = new Uint32Array(BUCKETS);
  #rotateAt: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: number) {
    this.#rotateAt = now + GENERATION_MS;
  }

  /** @param now milliseconds of the same clock @param latencyMs the sample */
  record(now: number, latencyMs: number): void {
    if (now >= this.#rotateAt) this.#rotate(now);
    this.#current[bucketOf(latencyMs)]!++;
  }

  /** The percentiles asked for, in milliseconds; `undefined` where there is no sample: missing is not zero. */
  percentiles(now: number, fractions: readonly number[]): (number | undefined)[] {
    return mergedPercentiles([this], now, fractions);
  }

  /** Adds this histogram's recent counts, by bucket, to those of others. */
  addTo(counts: Uint32Array, now: number): void {
    if (now >= this.#rotateAt) this.#rotate(now);
    for (let index = 0; index < BUCKETS; index++)
      counts[index]! += this.#current[index]! + this.#previous[index]!;
  }

  #rotate(now: number): void {
    const emptied = this.#previous.fill(0);
    // After more than two generations of silence both are stale.
    const bothStale = now >= this.#rotateAt + GENERATION_MS;
    this.#previous = bothStale ? this.#current.fill(0) : this.#current;
    this.#current = emptied;
    // From boundary to boundary: counted from now, generations would stretch, and the older one with them.
    this.#rotateAt = (bothStale ? now : this.#rotateAt) + GENERATION_MS;
  }
}

/** Percentiles of several histograms taken together. */
export function mergedPercentiles(
  histograms: Iterable<LatencyHistogram>,
  now: number,
  fractions: readonly number[],
): (number | undefined)[] {
  const counts = new Uint32Array(BUCKETS);
  for (const histogram of histograms) histogram.addTo(counts, now);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return fractions.map((fraction) =>
    total === 0 ? undefined : valueAt(counts, Math.max(1, Math.ceil(fraction * total))),
  );
}

const GENERATION_MS = 10_000;
const PER_OCTAVE = 8;
const OCTAVES = 27;
/** One more below 1 microsecond. */
export const BUCKETS = OCTAVES * PER_OCTAVE + 1;

/** The value of that rank, from 1, among counts by bucket. */
export function valueAt(counts: Uint32Array, rank: number): number {
  let seen = 0;
  const index = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  return midpointOf(index);
}

export function bucketOf(latencyMs: number): number {
  const index = 1 + Math.floor(Math.log2(latencyMs * 1000) * PER_OCTAVE);
  // A clock that stands still gives 0 (log: -Infinity); NaN goes to the lowest bucket too.
  return index >= 1 ? Math.min(index, BUCKETS - 1) : 0;
}

function midpointOf(index: number): number {
  return index === 0 ? 0 : 2 ** ((index - 0.5) / PER_OCTAVE) / 1000;
}
