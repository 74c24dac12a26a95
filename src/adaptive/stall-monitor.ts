import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** Where the event loop stood still; what was timed across such a stretch says nothing about the server. */
export interface StallSource {
  /** Milliseconds of stall between two moments of the clock. */
  stalledMs(from: number, to: number): number;
}

/** Remembers the last stalls. Time comes in; {@link sharedStallMonitor} feeds one from a heartbeat. */
export class StallMonitor implements StallSource {
  readonly #from = new Float64Array(KEPT);
  readonly #to = new Float64Array(KEPT);
  #count = 0;
  /** The last sign of life; a stretch since then longer than a beat is a stall that has not ended yet. */
  #lastBeat = Number.POSITIVE_INFINITY;

  beat(now: number): void {
    const expected = this.#lastBeat + BEAT_MS;
    if (now - expected > LATE_MS) this.add(expected, now);
    this.#lastBeat = now;
  }

  add(from: number, to: number): void {
    const index = this.#count++ % KEPT;
    this.#from[index] = from;
    this.#to[index] = to;
  }

  stalledMs(from: number, to: number): number {
    // The loop may be inside the first callbacks after a stall, before the heartbeat's own.
    const expected = this.#lastBeat + BEAT_MS;
    let stalled = to - expected > LATE_MS ? to - Math.max(from, expected) : 0;
    const kept = Math.min(this.#count, KEPT);
    for (let index = 0; index < kept; index++) {
      stalled += Math.max(0, Math.min(to, this.#to[index]!) - Math.max(from, this.#from[index]!));
    }
    return stalled;
  }
}

let shared: StallMonitor | undefined;
let delays: IntervalHistogram | undefined;

/**
 * The one heartbeat of the process, whatever the number of limiters: an unreferenced timer of 20 ms, 50 wake-ups a
 * second. `monitorEventLoopDelay` (its maximum: the mean hides a pause of 250 ms in a second) confirms what a beat that
 * was merely delivered late, by a timer phase full of other callbacks, would miss.
 */
export function sharedStallMonitor(): StallMonitor {
  if (shared !== undefined) return shared;
  const monitor = new StallMonitor();
  shared = monitor;
  delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let last = performance.now();
  monitor.beat(last);
  setInterval(() => {
    const now = performance.now();
    const longest = delays!.max / 1e6;
    delays!.reset();
    const before = now - last - BEAT_MS;
    monitor.beat(now);
    // Within one beat's lateness already known: only what it did not show is added.
    if (before <= LATE_MS && longest > LATE_MS + BEAT_MS) monitor.add(now - longest, now);
    last = now;
  }, BEAT_MS).unref();
  return monitor;
}

const BEAT_MS = 20;
const LATE_MS = 30;
const KEPT = 32;
