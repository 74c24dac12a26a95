/** Figures as people read them; what is missing is a dash, never a zero. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function perSecond(value: number): string {
  return `${count(value)}/s`;
}

export function percent(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return MISSING;
  const value = share * 100;
  // 99.96 % is not all of it, and 0.04 % is not nothing.
  if (value > 99 && value < 100) return `${(Math.floor(value * 10) / 10).toFixed(1)} %`;
  if (value > 0 && value < 1) return `${(Math.ceil(value * 10) / 10).toFixed(1)} %`;
  return `${value.toFixed(0)} %`;
}

export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return MISSING;
  if (ms >= 9950) return `${count(ms / 1000)} s`;
  if (ms >= 995) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 9.95) return `${ms.toFixed(0)} ms`;
  return `${ms.toFixed(1)} ms`;
}

export function range(least: number, most: number, between: string): string {
  return least === most ? count(least) : `${count(least)}${between}${count(most)}`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const MISSING = '–';
