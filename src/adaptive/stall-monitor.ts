import { monitorEventLoopDelay } from 'node:perf_hooks';
// Not the global ones: tests put timers of theirs there, which beat only as long as the test runs.
import { clearInterval, setInterval } from 'node:timers';

/** Where the event loop stood still; what was timed across such a stretch says nothing about the server. */
export interface StallSource {
  /** Milliseconds of stall between two moments of the clock. */
  stalledMs(from: number, to: number): number;
}

/**
 * Remembers the last stalls. Time comes in; {@link sharedStallMonitor} feeds one from a heartbeat.
 *
 * A heartbeat that is silent for very long, or that last beat in the future, may have died with a clock or timers that a
 * test had put in place: the stretch is a stall, and the heartbeat is asked for anew. No silence lasts for ever.
 */
export class StallMonitor implements StallSource {
  readonly #from = new Float64Array(KEPT);
  readonly #to = new Float64Array(KEPT);
  readonly #restart: () => void;
  #count = 0;
  /**
   * The last sign of life; a stretch since then longer than a beat is a stall that has not ended yet. `NaN` before the
   * first.
   */
  #lastBeat = Number.NaN;

  /** @param restart makes the heartbeat anew */
  constructor(restart: () => void = () => {}) {
    this.#restart = restart;
  }

  beat(now: number): void {
    const expected = this.#lastBeat + BEAT_MS;
    if (now - expected > LATE_MS) this.add(expected, now);
    // A clock that went back: what is remembered is of another time.
    if (now < this.#lastBeat) this.#count = 0;
    this.#lastBeat = now;
  }

  add(from: number, to: number): void {
    const index = this.#count++ % KEPT;
    this.#from[index] = from;
    this.#to[index] = to;
  }

  /** @param to the present */
  stalledMs(from: number, to: number): number {
    if (Math.abs(to - this.#lastBeat) > SILENT_MS) {
      this.beat(to);
      this.#restart();
    }
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

/**
 * The one heartbeat of the process, whatever the number of limiters: an unreferenced timer of 20 ms, 50 wake-ups a
 * second. `monitorEventLoopDelay` (its maximum: the mean hides a pause of 250 ms in a second) confirms what a beat that
 * was merely delivered late, by a timer phase full of other callbacks, would miss.
 */
export function sharedStallMonitor(): StallMonitor {
  shared ??= withHeartbeat();
  return shared;
}

function withHeartbeat(): StallMonitor {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let last = performance.now();
  const beat = () => {
    const now = performance.now();
    const longest = delays.max / 1e6;
    delays.reset();
    const before = now - last - BEAT_MS;
    monitor.beat(now);
    // Within one beat's lateness already known: only what it did not show is added.
    if (before <= LATE_MS && longest > LATE_MS + BEAT_MS) monitor.add(now - longest, now);
    last = now;
  };
  const start = () => setInterval(beat, BEAT_MS).unref();
  let heart = start();
  const monitor = new StallMonitor(() => {
    clearInterval(heart);
    heart = start();
  });
  monitor.beat(last);
  return monitor;
}

const BEAT_MS = 20;
const LATE_MS = 30;
const SILENT_MS = 1000;
const KEPT = 32;
