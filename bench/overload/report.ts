import { cpus } from 'node:os';
import { alignedTables } from '../sim/aligned-tables.js';
import { GOALS, meetsGoals, ratiosOf } from './comparison.js';
import type { Section } from './sections.js';
import { comparisonTable, markdownTable, ratio, type Table } from './tables.js';

/** The report as Markdown: the goals, then each server and each scenario. */
export function reportOf(sections: readonly Section[], settleSeconds: number): string {
  const [cpu] = cpus();
  const parts = [
    '# Adaptive control on real servers',
    '',
    'Made by `npm run overload`. Open-loop load: calls arrive at random times that were fixed before and are the same for all',
    'contenders, whatever becomes of those before them; a caller goes after 1 s. Goodput is answers within that second; p99 is',
    'of all answers, late ones included, from the scheduled arrival. Capacity is what callers get who each wait for their answer,',
    'with everything busy. The best fixed limit is the lowest of those with the best goodput, found by trying under the same load',
    '(at once the capacity for those that fit, where less load would favour limits that refuse bursts; at three times for those',
    `above). Adaptive is \`adaptive: true\`, from a limit of 20 that knows nothing; its first ${settleSeconds} s are told apart.`,
    'Lag is how late the load generator was, at its p99: more than a few milliseconds say that the machine was busy otherwise.',
    '',
    `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model.trim()}; servers and load generator share the machine.`,
    '',
    '## Adaptive against the best fixed limit',
    '',
    ...goalLines(sections),
    '',
    markdownTable(summaryTable(sections.filter(({ kind }) => kind === 'server'))),
    '',
    markdownTable(scenarioSummary(sections.filter(({ kind }) => kind === 'scenario'))),
    ...sections.flatMap((section) => ['', `## ${section.title}`, '', sectionText(section)]),
    '',
  ];
  return alignedTables(parts.join('\n'));
}

/** Of one section, notes and table. */
export function sectionText({ notes, conditions, comparisons }: Section): string {
  const table = markdownTable(comparisonTable(conditions, comparisons));
  return alignedTables([...notes.flatMap((note) => [note, '']), table].join('\n'));
}

export function goalLines(sections: readonly Section[]): string[] {
  const all = sections.flatMap(({ title, judged }) =>
    judged.map(({ condition, best, adaptive }) => ({ title, condition, ratios: ratiosOf(adaptive, best) })),
  );
  const missed = all.filter(({ ratios }) => !meetsGoals(ratios));
  return [
    `Goals: goodput at least ${GOALS.goodput} and p99 at most ${GOALS.p99} of the best fixed limit's. Met in ${all.length - missed.length} of ${all.length}${missed.length === 0 ? '.' : ':'}`,
    ...(missed.length === 0 ? [] : ['']),
    ...missed.map(
      ({ title, condition, ratios }) =>
        `- MISSED: ${title}, ${condition}: goodput ${ratio(ratios.goodput)}, p99 ${ratio(ratios.p99)}`,
    ),
  ];
}

/** Goodput / p99, for each server and load. */
function summaryTable(servers: readonly Section[]): Table {
  const conditions = servers[0]?.comparisons.map(({ condition }) => condition) ?? [];
  return [
    ['goodput / p99', ...conditions],
    ...servers.map(({ title, judged }) => [
      title,
      ...judged.map(({ adaptive, best }) => {
        const ratios = ratiosOf(adaptive, best);
        return `${ratio(ratios.goodput)} / ${ratio(ratios.p99)}`;
      }),
    ]),
  ];
}

function scenarioSummary(scenarios: readonly Section[]): Table {
  return [
    ['scenario', 'phase', 'goodput', 'p99'],
    ...scenarios.flatMap(({ title, comparisons }) =>
      comparisons.map(({ condition, adaptive, best }, index) => {
        const ratios = ratiosOf(adaptive, best);
        return [index === 0 ? title : '', condition, ratio(ratios.goodput), ratio(ratios.p99)];
      }),
    ),
  ];
}
