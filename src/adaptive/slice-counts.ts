/** The mean and the dispersion of counts in equal slices of a window, in constant memory. */
export class SliceCounts {
  #slices = 0;
  #sum = 0;
  #sumOfSquares = 0;

  /** @param count of a slice, scaled to the common length of slices */
  add(count: number): void {
    this.#slices++;
    this.#sum += count;
    this.#sumOfSquares += count * count;
  }

  /** Variance over mean; `undefined` with too few slices to tell. */
  get dispersion(): number | undefined {
    const { mean } = this;
    if (this.#slices < FEWEST || mean <= 0) return undefined;
    const variance = (this.#sumOfSquares - this.#slices * mean * mean) / (this.#slices - 1);
    return Math.max(0, variance) / mean;
  }

  get mean(): number {
    return this.#slices === 0 ? 0 : this.#sum / this.#slices;
  }

  clear(): void {
    this.#slices = this.#sum = this.#sumOfSquares = 0;
  }
}

const FEWEST = 5;
