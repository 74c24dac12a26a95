import { duration, MISSING, percent, perSecond } from '../demo/format.js';
import { type Comparison, ratiosOf } from './comparison.js';
import type { Measured } from './under-load.js';

/** Header and rows, for the terminal and for Markdown alike. */
export type Table = readonly (readonly string[])[];

export function comparisonTable(title: string, comparisons: readonly Comparison[]): Table {
  const header = [
    title,
    'contender',
    'limit',
    'goodput',
    'of best',
    'p99',
    'of best',
    'rejected',
    'too late',
    'failed',
    'lag',
  ];
  const rows = comparisons.flatMap(({ condition, best, rows }) =>
    rows.map(({ contender, measured }, index) => {
      const ratios = ratiosOf(measured, best);
      return [
        index === 0 ? condition : '',
        contender,
        limits(measured),
        perSecond(measured.goodput),
        ratio(ratios.goodput),
        duration(measured.p99),
        ratio(ratios.p99),
        percent(measured.share('rejected')),
        percent(measured.share('timedOut')),
        percent(measured.share('failed')),
        duration(measured.lagP99),
      ];
    }),
  );
  return [header, ...rows];
}

export function ratio(value: number): string {
  if (!Number.isFinite(value)) return MISSING;
  return value < 9.995 ? value.toFixed(2) : value.toFixed(0);
}

function limits({ leastLimit, mostLimit }: Measured): string {
  if (!Number.isFinite(leastLimit)) return MISSING;
  return leastLimit === mostLimit ? `${leastLimit}` : `${leastLimit} to ${mostLimit}`;
}

export function markdownTable([header, ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header!), `|${header!.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
