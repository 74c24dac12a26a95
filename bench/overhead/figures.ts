export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear between the ranks. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(rank)] ?? Number.NaN;
  const above = sorted[Math.ceil(rank)] ?? Number.NaN;
  return below + (above - below) * (rank - Math.floor(rank));
}

export function nanoseconds(ns: number): string {
  return ns < 10_000
    ? `${ns.toFixed(0)} ns`
    : ns < 10_000_000
      ? `${(ns / 1000).toFixed(1)} us`
      : `${(ns / 1e6).toFixed(1)} ms`;
}

export function bytes(count: number): string {
  return Math.abs(count) < 10_000 ? `${count.toFixed(0)} B` : `${(count / 2 ** 20).toFixed(1)} MiB`;
}
