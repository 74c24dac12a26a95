import type { OperationClass } from '../core/operation-class.js';

/**
 * Counts successes by the work they stand for: a completion of class k counts (slow average latency of k) / (slow
 * average over all classes), so that a shift of the mix between cheap and dear operations is no change of throughput.
 * With one class each counts exactly 1.
 *
 * The averages are slow (about {@link MEMORY} windows): weights that follow congestion would make throughput look as if
 * it grew with the limit.
 */
export class WorkRate {
  readonly #classes = new Map<OperationClass, ClassWork>();
  /** Average latency of the operation that counts as one; `undefined` with a single class. */
  unitMs: number | undefined;
  #windows = 0;

  onSuccess(operationClass: OperationClass, latencyMs: number): void {
    const work = this.#workOf(operationClass);
    work.sampled++;
    work.latencySum += latencyMs;
  }

  /** The work done since the last call, in average operations. */
  take(classes: Iterable<OperationClass>): number {
    let done = 0;
    for (const operationClass of classes) {
      const work = this.#workOf(operationClass);
      const { success } = operationClass.ended;
      const count = success - work.counted;
      work.counted = success;
      work.completed += count;
      done += count * work.weight;
    }
    return done;
  }

  /** At the end of a window: the slow averages move by it. */
  endWindow(): void {
    // The first windows are plainly averaged.
    const memory = Math.min(++this.#windows, MEMORY);
    let completed = 0;
    for (const work of this.#classes.values()) completed += work.completed;
    let average = 0;
    let shares = 0;
    let known = 0;
    for (const work of this.#classes.values()) {
      const share = completed === 0 ? work.share : work.completed / completed;
      work.share += (share - work.share) / memory;
      if (work.sampled > 0) {
        const mean = work.latencySum / work.sampled;
        work.latency = Number.isNaN(work.latency) ? mean : work.latency + (mean - work.latency) / memory;
      }
      work.completed = work.sampled = work.latencySum = 0;
      if (Number.isNaN(work.latency)) continue;
      known++;
      average += work.share * work.latency;
      shares += work.share;
    }
    if (shares === 0 || average === 0) return;
    this.unitMs = known > 1 ? average / shares : undefined;
    for (const work of this.#classes.values()) {
      work.weight = Number.isNaN(work.latency) ? 1 : work.latency / (average / shares);
    }
  }

  #workOf(operationClass: OperationClass): ClassWork {
    let work = this.#classes.get(operationClass);
    if (work === undefined) {
      const counted = operationClass.ended.success;
      work = { counted, completed: 0, sampled: 0, latencySum: 0, latency: Number.NaN, share: 0, weight: 1 };
      this.#classes.set(operationClass, work);
    }
    return work;
  }
}

interface ClassWork {
  counted: number;
  completed: number;
  sampled: number;
  latencySum: number;
  /** Slow averages. */
  latency: number;
  share: number;
  weight: number;
}

const MEMORY = 60;
