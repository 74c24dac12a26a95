import type { SampleWindow } from './controller.js';

/** Share of what was offered that the limit refused, 0 to 1. */
export function refusedShare({ rejected, admitted }: SampleWindow): number {
  const offered = rejected + admitted;
  return offered === 0 ? 0 : rejected / offered;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
