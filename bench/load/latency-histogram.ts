/**
 * Percentiles of any number of samples in constant memory (3.5 KB), within 1.1 % of the true ones from 1 microsecond to
 * 134 seconds: buckets grow by 2^(1/32). Unlike the limiter's own it never forgets, and two can be added up.
 */
export class LatencyHistogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  record(ms: number): void {
    this.#counts[bucketOf(ms)]!++;
    this.#count++;
  }

  add(other: LatencyHistogram): void {
    for (let index = 0; index < BUCKETS; index++) this.#counts[index]! += other.#counts[index]!;
    this.#count += other.#count;
  }

  /** @param fraction 0.99 for p99 @returns milliseconds; `undefined` without samples: missing is not zero */
  percentile(fraction: number): number | undefined {
    if (this.#count === 0) return undefined;
    const rank = Math.max(1, Math.ceil(fraction * this.#count));
    let seen = 0;
    const index = this.#counts.findIndex((count) => {
      seen += count;
      return seen >= rank;
    });
    return index === 0 ? 0 : 2 ** ((index - 0.5) / PER_OCTAVE) / 1000;
  }
}

const PER_OCTAVE = 32;
const OCTAVES = 27;
/** One more below 1 microsecond. */
const BUCKETS = OCTAVES * PER_OCTAVE + 1;

function bucketOf(ms: number): number {
  const index = 1 + Math.floor(Math.log2(ms * 1000) * PER_OCTAVE);
  return index >= 1 ? Math.min(index, BUCKETS - 1) : 0;
}
