// npm run overload -- [--quick] [--history] [filter]
import { writeFileSync } from 'node:fs';
import { historyLines } from './history-lines.js';
import { parseOverloadOptions, usage } from './overload-options.js';
import { goalLines, reportOf, sectionText } from './report.js';
import { fanOut } from './scenarios/fan-out.js';
import { halfTheMachine } from './scenarios/half-the-machine.js';
import { lockStorm } from './scenarios/lock-storm.js';
import { mixShift } from './scenarios/mix-shift.js';
import { serverPaused } from './scenarios/server-paused.js';
import { type Section, scenarioSection, serverSection, type Telling } from './sections.js';
import { aerospikeTarget } from './targets/aerospike.js';
import { mariadbTarget } from './targets/mariadb.js';
import { PostgresTarget } from './targets/postgres.js';
import { pooled } from './targets/postgres-workloads.js';
import { redisTarget } from './targets/redis.js';
import { FULL, QUICK } from './tempo.js';

const options = parseOverloadOptions(process.argv.slice(2));
const tempo = options.quick ? QUICK : FULL;
const startedAt = performance.now();

const telling: Telling = {
  tempo,
  onProgress(what) {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(`${seconds.padStart(4)} s  ${what}`);
  },
  onHistory({ limiter }) {
    if (options.history) console.log(historyLines(limiter!).join('\n'));
  },
};

const postgres = () => PostgresTarget.start(pooled);
const servers = { postgres, redis: redisTarget, mariadb: mariadbTarget, aerospike: aerospikeTarget };
const scenarios = [
  mixShift,
  lockStorm,
  halfTheMachine,
  fanOut,
  serverPaused('postgres', postgres),
  serverPaused('redis', () => redisTarget()),
];
const parts: Readonly<Record<string, () => Promise<Section>>> = {
  ...Object.fromEntries(
    Object.entries(servers).map(([key, start]) => [key, () => serverSection(start, telling)]),
  ),
  ...Object.fromEntries(
    scenarios.map((scenario) => [scenario.key, () => scenarioSection(scenario, telling)]),
  ),
};

const isChosen = (key: string) =>
  options.quick && options.filter === ''
    ? key in servers || key === lockStorm.key
    : key.includes(options.filter);

async function overload(): Promise<void> {
  const chosen = Object.keys(parts).filter(isChosen);
  if (chosen.length === 0) throw new Error(`nothing here is called '${options.filter}'\n\n${usage}`);
  const sections: Section[] = [];
  for (const key of chosen) {
    try {
      const section = await parts[key]!();
      console.log(`\n${section.title}\n\n${sectionText(section)}\n`);
      sections.push(section);
    } catch (error) {
      // A server that is not to be had; the others are.
      console.error(`\n${key} could not be measured:`, error);
      process.exitCode = 1;
    }
  }
  console.log(goalLines(sections).join('\n'));
  if (options.quick || sections.length < Object.keys(parts).length) return;
  writeFileSync('bench/overload/REPORT.md', reportOf(sections, tempo.settleSeconds));
  console.log('\nbench/overload/REPORT.md is written.');
}

if (options.help) console.log(usage);
else await overload();
