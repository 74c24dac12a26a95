import type { Arrivals } from './arrivals.js';
import { type LoadClock, systemClock } from './load-clock.js';
import { LoadRecorder } from './load-recorder.js';
import { type CallRules, OutstandingCalls } from './outstanding-calls.js';

export interface OpenLoopOptions extends CallRules {
  readonly arrivals: Arrivals;
  readonly seconds: number;
  readonly call: () => PromiseLike<unknown>;
  /** How long to watch what is left over when the load has ended. */
  readonly settleMs: number;
  /** @default 1000 */
  readonly sliceMs?: number;
  /** The limit in force, to be recorded along. */
  readonly limit?: (() => number | undefined) | undefined;
  readonly onTick?: (progress: OpenLoopProgress) => void;
  readonly signal?: AbortSignal;
  readonly clock?: LoadClock;
}

export interface OpenLoopProgress {
  readonly recorder: LoadRecorder;
  readonly elapsedMs: number;
  readonly running: number;
}

export interface OpenLoopResult {
  readonly recorder: LoadRecorder;
  /** Not answered when the load ended. */
  readonly backlog: number;
  /** Not answered when watching ended. */
  readonly left: number;
  /** How long the backlog was watched: until it was gone, or `settleMs`. */
  readonly settledMs: number;
}

/**
 * Calls at their scheduled times, whatever becomes of the calls before: a load that slows down when the server does (a
 * closed loop) would hide the very thing to be seen. All latencies count from the scheduled arrival, so that a generator
 * that is held up does not flatter the figures either (coordinated omission).
 */
export async function openLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { call, limit, onTick, signal, clock = systemClock } = options;
  const recorder = new LoadRecorder(options.sliceMs);
  const startedAt = clock.now();
  const now = () => clock.now() - startedAt;
  const calls = new OutstandingCalls(options, recorder, now);
  const loadMs = options.seconds * 1000;
  const arrivals = options.arrivals[Symbol.iterator]();
  let next = arrivals.next();

  const startDue = () => {
    const dueAt = Math.min(now(), loadMs);
    for (; !next.done && next.value < dueAt; next = arrivals.next()) calls.start(next.value, call);
  };
  const tick = async () => {
    await clock.pause(TICK_MS);
    calls.abandonOverdue();
    const elapsedMs = now();
    recorder.sample(elapsedMs, calls.running, limit?.());
    onTick?.({ recorder, elapsedMs, running: calls.running });
  };

  while (now() < loadMs && !signal?.aborted) {
    await tick();
    startDue();
  }
  // Those of the last moment are refused or on their way before the backlog is counted.
  await clock.pause(0);
  const endedAt = now();
  const backlog = calls.running;
  while (calls.running > 0 && now() - endedAt < options.settleMs && !signal?.aborted) await tick();
  return { recorder, backlog, left: calls.running, settledMs: now() - endedAt };
}

/** As short as timers get. */
const TICK_MS = 1;
