/** What came of the operations offered, in bins of half a second of their first arrival. */
export class Tally {
  readonly bins: Bin[] = [];
  readonly #bounds: readonly number[];
  /** Latencies of what succeeded, by phase. */
  readonly latencies: LatencyCounts[];
  readonly binMs = 500;

  constructor(durationMs: number, phaseStarts: readonly number[]) {
    this.#bounds = phaseStarts;
    this.latencies = phaseStarts.map(() => new LatencyCounts());
    for (let at = 0; at <= durationMs; at += this.binMs) {
      this.bins.push({ offered: 0, ok: 0, rejected: 0, timedOut: 0, failed: 0 });
    }
  }

  offered(at: number): void {
    this.#bin(at).offered++;
  }

  rejected(at: number): void {
    this.#bin(at).rejected++;
  }

  timedOut(at: number): void {
    this.#bin(at).timedOut++;
  }

  failed(at: number): void {
    this.#bin(at).failed++;
  }

  succeeded(at: number, now: number): void {
    this.#bin(at).ok++;
    this.latencies[this.phaseOf(at)]!.add(now - at);
  }

  phaseOf(at: number): number {
    let phase = 0;
    while (phase + 1 < this.#bounds.length && this.#bounds[phase + 1]! <= at) phase++;
    return phase;
  }

  #bin(at: number): Bin {
    return this.bins[Math.floor(at / this.binMs)]!;
  }
}

export interface Bin {
  offered: number;
  ok: number;
  rejected: number;
  timedOut: number;
  failed: number;
}

/** Percentiles to 1 %, of any number of latencies. */
export class LatencyCounts {
  readonly counts = new Float64Array(2000);

  add(ms: number): void {
    const index = Math.round(Math.log(Math.max(ms, 1e-3) / 1e-3) * 100);
    this.counts[Math.min(1999, index)]!++;
  }

  include(other: LatencyCounts): void {
    for (let index = 0; index < 2000; index++) this.counts[index]! += other.counts[index]!;
  }

  percentile(fraction: number): number {
    let total = 0;
    for (const count of this.counts) total += count;
    let rank = Math.ceil(total * fraction);
    for (let index = 0; index < 2000; index++) {
      rank -= this.counts[index]!;
      if (rank <= 0) return 1e-3 * Math.exp(index / 100);
    }
    return Number.NaN;
  }
}
