import type { Trial } from './trials.js';

/** The report as Markdown: what floodgate reached on each set, then all contenders beside each other. */
export function reportOf(
  sets: Readonly<Record<string, readonly Trial[]>>,
  compared: readonly Trial[],
): string {
  const parts = [
    '# Adaptive control in simulation',
    '',
    'Made by `npm run sim`: virtual time, seeded, the production classes unchanged. Goodput (answers within the timeout) and',
    'p99 are ratios to the best fixed limit of each phase, found by trying a grid on the same arrivals; so 1.00 is what',
    'somebody would reach who knows the future and sets the limit at each change. Everything counts from the first moment,',
    'at a limit of 20 that knows nothing. Convergence and recovery in seconds; oscillation is the sd/mean of the limit in the',
    'last third; false rejects are refusals while less than 60 % of the capacity is asked for. Worst of the seeds.',
  ];
  for (const [title, trials] of Object.entries(sets)) parts.push('', `## ${title}`, '', ...ownTable(trials));
  parts.push('', '## Contenders, goodput / p99', '', ...comparison(compared), '');
  return parts.join('\n');
}

export interface Summary {
  readonly worstGoodput: number;
  readonly meanGoodput: number;
  readonly worstP99: number;
  readonly medianP99: number;
  readonly worstFalseRejects: number;
  readonly worstRecovery: number;
  readonly worstFairness: number;
}

export function summaryOf(trials: readonly Trial[]): Summary {
  const known = (values: number[]) => values.filter((value) => !Number.isNaN(value));
  const all = (key: keyof Trial['scores']) => known(trials.map(({ scores }) => scores[key]));
  const p99s = all('p99').sort((a, b) => a - b);
  const goodputs = all('goodput');
  return {
    worstGoodput: Math.min(...goodputs),
    meanGoodput: goodputs.reduce((sum, value) => sum + value, 0) / goodputs.length,
    worstP99: p99s.at(-1)!,
    medianP99: p99s[Math.floor(p99s.length / 2)]!,
    worstFalseRejects: Math.max(...all('falseRejects')),
    worstRecovery: Math.max(...all('recovery')),
    worstFairness: Math.min(...all('fairness')),
  };
}

function ownTable(trials: readonly Trial[]): string[] {
  const { worstGoodput, meanGoodput, worstP99, medianP99, ...rest } = summaryOf(trials);
  const lines = [
    `Worst goodput **${worstGoodput.toFixed(3)}**, mean **${meanGoodput.toFixed(3)}**; worst p99 **${worstP99.toFixed(2)}x**, median ${medianP99.toFixed(2)}x; ` +
      `false rejects at most ${share(rest.worstFalseRejects)}; recovery at most ${seconds(rest.worstRecovery)}; fairness at least ${rest.worstFairness.toFixed(3)}.`,
    '',
    '| scenario | what | best fixed | goodput | p99 | convergence | oscillation | false rejects | recovery | Jain |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const [name, group] of byScenario(trials)) {
    const of = (key: keyof Trial['scores'], pick: (...values: number[]) => number) =>
      pick(...group.map(({ scores }) => scores[key]));
    const cells = [
      name,
      group[0]!.scenario.shows,
      group[0]!.best.slice(0, 3).join(', '),
      of('goodput', Math.min).toFixed(3),
      of('p99', Math.max).toFixed(2),
      seconds(of('convergence', Math.max)),
      of('oscillation', Math.max).toFixed(2),
      share(of('falseRejects', Math.max)),
      seconds(of('recovery', Math.max)),
      known(of('fairness', Math.min), 3),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return lines;
}

function comparison(trials: readonly Trial[]): string[] {
  const names = [...new Set(trials.map(({ contender }) => contender))];
  const lines = [`| scenario | ${names.join(' | ')} |`, `|---|${names.map(() => '---|').join('')}`];
  for (const [name, group] of byScenario(trials)) {
    const cells = group.map(({ scores }) => `${scores.goodput.toFixed(2)} / ${scores.p99.toFixed(1)}`);
    lines.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  const by = (contender: string) => summaryOf(trials.filter((trial) => trial.contender === contender));
  const row = (title: string, cell: (summary: Summary) => string) =>
    lines.push(`| **${title}** | ${names.map((name) => cell(by(name))).join(' | ')} |`);
  row('worst goodput', ({ worstGoodput }) => worstGoodput.toFixed(2));
  row('mean goodput', ({ meanGoodput }) => meanGoodput.toFixed(3));
  row('worst p99', ({ worstP99 }) => `${worstP99.toFixed(1)}x`);
  row('median p99', ({ medianP99 }) => `${medianP99.toFixed(2)}x`);
  return lines;
}

function share(value: number): string {
  return Number.isNaN(value) ? '' : `${(value * 100).toFixed(2)} %`;
}

function seconds(value: number): string {
  return Number.isNaN(value) || !Number.isFinite(value) ? '' : `${value.toFixed(1)} s`;
}

function known(value: number, digits: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(digits);
}

function byScenario(trials: readonly Trial[]): Map<string, Trial[]> {
  const groups = new Map<string, Trial[]>();
  for (const trial of trials) {
    const { name } = trial.scenario;
    groups.set(name, [...(groups.get(name) ?? []), trial]);
  }
  return groups;
}
