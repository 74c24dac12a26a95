import { LatencyHistogram } from './latency-histogram.js';

/** What happened in a stretch of time; stretches can be added up without losing a percentile. */
export class LoadFigures {
  offered = 0;
  /** Answered before the caller's deadline: goodput is this and nothing else. */
  inTime = 0;
  /** Answered when the caller had gone: work done for nobody. */
  late = 0;
  rejected = 0;
  failed = 0;
  /** Callers that went away at their deadline. What they asked for may still be answered, and is `late` then. */
  timedOut = 0;
  /** From the scheduled arrival to the answer, late answers included. */
  readonly latency = new LatencyHistogram();
  /** From the scheduled arrival to the rejection. */
  readonly rejectTime = new LatencyHistogram();
  /** How late the load generator itself was; part of the two above. */
  readonly lag = new LatencyHistogram();
  maxInFlight = 0;
  /** What the limiter allowed, last seen. */
  limit: number | undefined;
  #inFlightSum = 0;
  #inFlightSamples = 0;

  get meanInFlight(): number | undefined {
    return this.#inFlightSamples === 0 ? undefined : this.#inFlightSum / this.#inFlightSamples;
  }

  sample(inFlight: number, limit: number | undefined): void {
    this.#inFlightSum += inFlight;
    this.#inFlightSamples++;
    this.maxInFlight = Math.max(this.maxInFlight, inFlight);
    this.limit = limit;
  }

  /** @param later what came after this */
  add(later: LoadFigures): void {
    for (const name of COUNTS) this[name] += later[name];
    for (const name of HISTOGRAMS) this[name].add(later[name]);
    this.maxInFlight = Math.max(this.maxInFlight, later.maxInFlight);
    this.limit = later.limit ?? this.limit;
    this.#inFlightSum += later.#inFlightSum;
    this.#inFlightSamples += later.#inFlightSamples;
  }
}

const COUNTS = ['offered', 'inTime', 'late', 'rejected', 'failed', 'timedOut'] as const;
const HISTOGRAMS = ['latency', 'rejectTime', 'lag'] as const;
