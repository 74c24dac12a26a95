import type { RejectReason } from './backpressure-error.js';
import type { Gate } from './gate.js';
import { type LatencyHistogram, mergedPercentiles } from './latency-histogram.js';
import type { ClassStats, LimiterStats } from './limiter-stats.js';

/** Everything a limiter knows, frozen at one moment. Totals are sums over the classes, so they always add up. */
export function snapshot(gate: Gate): LimiterStats {
  const now = gate.clock.now();
  // A window whose time is up ends now, though nothing may happen on the gate.
  gate.sampler?.onTime(now);
  const classes: [name: string, stats: ClassStats][] = [];
  const rejectedByReason: Partial<Record<RejectReason, number>> = {};
  const histograms: LatencyHistogram[] = [];
  const totals = { admitted: 0, rejected: 0, succeeded: 0, failed: 0, overloaded: 0, ignored: 0 };
  for (const operationClass of gate.classes) {
    const stats = operationClass.stats(now);
    if (operationClass.latency !== undefined && !operationClass.waits)
      histograms.push(operationClass.latency);
    if (stats.admitted + stats.rejected > 0) classes.push([operationClass.name, stats]);
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += stats[key];
    for (const [reason, count] of operationClass.rejected) {
      rejectedByReason[reason] = (rejectedByReason[reason] ?? 0) + count;
    }
  }
  const [p50, p95, p99] = mergedPercentiles(histograms, now, [0.5, 0.95, 0.99]);
  return Object.freeze({
    name: gate.options.name,
    state: gate.state,
    limit: gate.limit,
    inFlight: gate.inFlight,
    running: gate.running,
    waiting: 0,
    maxConcurrentOps: gate.options.maxConcurrentOps,
    ...totals,
    rejectedByReason: Object.freeze(rejectedByReason),
    peakInFlight: gate.peakInFlight,
    doubleReleases: gate.doubleReleases,
    oldestPermitMs: gate.ages.oldestMs(now),
    latency: Object.freeze({ p50, p95, p99 }),
    poolWait: Object.freeze({ p95: p95Of(gate.poolWait, now) }),
    connectTime: Object.freeze({ p95: p95Of(gate.connectTime, now) }),
    limitIncreases: gate.history.increases,
    limitDecreases: gate.history.decreases,
    ...(gate.sampler === undefined ? undefined : { adaptive: gate.sampler.stats() }),
    // Not by assignment: a class may be called '__proto__'.
    classes: Object.freeze(Object.fromEntries(classes)),
    nodes: gate.nodes.stats(),
  });
}

function p95Of(histogram: LatencyHistogram, now: number): number | undefined {
  return histogram.percentiles(now, [0.95])[0];
}
