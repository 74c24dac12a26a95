import { LoadFigures } from './load-figures.js';

/**
 * Keeps what happened, slice of time by slice of time. It reads no clock: every time comes in, in milliseconds after the
 * start of the load. An arrival counts where it was scheduled, an end where it came about.
 */
export class LoadRecorder {
  readonly sliceMs: number;
  readonly #slices: LoadFigures[] = [];

  constructor(sliceMs = 1000) {
    this.sliceMs = sliceMs;
  }

  /** @param at when the load generator got round to it */
  offered(scheduledAt: number, at: number): void {
    const slice = this.#at(scheduledAt);
    slice.offered++;
    slice.lag.record(at - scheduledAt);
  }

  answered(scheduledAt: number, at: number, inTime: boolean): void {
    const slice = this.#at(at);
    slice[inTime ? 'inTime' : 'late']++;
    slice.latency.record(at - scheduledAt);
  }

  rejected(scheduledAt: number, at: number): void {
    const slice = this.#at(at);
    slice.rejected++;
    slice.rejectTime.record(at - scheduledAt);
  }

  failed(at: number): void {
    this.#at(at).failed++;
  }

  timedOut(at: number): void {
    this.#at(at).timedOut++;
  }

  sample(at: number, inFlight: number, limit: number | undefined): void {
    this.#at(at).sample(inFlight, limit);
  }

  /** Empty ones in between included. */
  get slices(): readonly LoadFigures[] {
    return this.#slices;
  }

  /** Everything in the slices that begin in this stretch. */
  between(fromMs: number, toMs: number): LoadFigures {
    const sum = new LoadFigures();
    for (const [index, slice] of this.#slices.entries()) {
      const startsAt = index * this.sliceMs;
      if (startsAt >= fromMs && startsAt < toMs) sum.add(slice);
    }
    return sum;
  }

  #at(ms: number): LoadFigures {
    const index = Math.floor(ms / this.sliceMs);
    while (this.#slices.length <= index) this.#slices.push(new LoadFigures());
    return this.#slices[index]!;
  }
}
