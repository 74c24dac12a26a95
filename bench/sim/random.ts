/**
 * A stream of random numbers of its own for each purpose: what one draws never shifts what another gets, so that every
 * contender meets the same arrivals and the same demands. (mulberry32, Tommy Ettinger, public domain.)
 */
export class RandomStream {
  #state: number;

  constructor(seed: number, purpose: string) {
    // FNV-1a over both.
    let hash = 2166136261;
    for (const character of `${seed}/${purpose}`) {
      hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
    }
    this.#state = hash;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** Positive, with this mean and coefficient of variation; a cv of 1 is exponential, others are lognormal. */
  positive(mean: number, cv: number): number {
    if (cv === 0) return mean;
    if (cv === 1) return this.exponential(mean);
    const sigma2 = Math.log(1 + cv * cv);
    return mean * Math.exp(this.normal() * Math.sqrt(sigma2) - sigma2 / 2);
  }
}
