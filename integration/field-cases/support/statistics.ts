import type { Arrival } from '../../support/open-loop.js';

/** The value that this share (0 to 1) of the values does not exceed; `NaN` of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** By least squares: how much y grows with each unit of x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}

export function only(arrivals: readonly Arrival[], outcome: Arrival['outcome']): readonly Arrival[] {
  return arrivals.filter((arrival) => arrival.outcome === outcome);
}

export function latencies(arrivals: readonly Arrival[], outcome: Arrival['outcome']): number[] {
  return only(arrivals, outcome).map(({ latencyMs }) => latencyMs);
}
