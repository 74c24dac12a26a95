// npm run sim -- [filter]: writes bench/sim/REPORT.md, and fails when a figure leaves its range. Under ten minutes.
import { writeFileSync } from 'node:fs';
import { alignedTables } from './aligned-tables.js';
import { fixed, others, ours } from './contenders.js';
import { complaintsOf } from './expectations.js';
import { reportOf, summaryOf } from './report.js';
import type { Scenario } from './scenario.js';
import { heldOut, tuned } from './scenarios.js';
import { type Trial, trialsOf } from './trials.js';

const [filter = ''] = process.argv.slice(2);
const compared: Trial[] = [];

function run(
  title: string,
  scenarios: readonly Scenario[],
  seeds: readonly number[],
  compare = false,
): Trial[] {
  const trials: Trial[] = [];
  for (const scenario of scenarios.filter(({ name }) => name.includes(filter))) {
    for (const seed of seeds) {
      const all =
        compare && seed === seeds[0] ? [ours, ...others, fixed(64), fixed(1000, 'no limit')] : [ours];
      const made = trialsOf(scenario, seed, all);
      if (all.length > 1) compared.push(...made);
      trials.push(made[0]!);
    }
    const last = trials.at(-1)!.scores;
    console.log(`${title}: ${scenario.name} goodput ${last.goodput.toFixed(3)}, p99 ${last.p99.toFixed(2)}x`);
  }
  return trials;
}

const sets = {
  'Scenarios and seeds that the figures were chosen on': run('tuned', tuned, [1, 2], true),
  'The same scenarios, held-out seeds': run('held-out seeds', tuned, [201]),
  'Held-out scenarios and seeds': run('held-out scenarios', heldOut, [201, 202], true),
};
for (const [title, trials] of Object.entries(sets)) console.log(title, summaryOf(trials));
if (filter === '') writeFileSync('bench/sim/REPORT.md', alignedTables(reportOf(sets, compared)));
const complaints = complaintsOf(Object.values(sets).flat());
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
