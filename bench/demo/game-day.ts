import { contenders } from './contenders.js';
import type { DemoOptions } from './demo-options.js';
import { startDemoServer } from './demo-server.js';
import { duration, perSecond } from './format.js';
import type { ContenderResult, GameDayResult } from './game-day-result.js';
import { loadLine } from './load-line.js';
import { capacityTimes, measureCapacity } from './measure-capacity.js';
import { startProgress } from './progress.js';
import { type LoadPlan, runContender } from './run-contender.js';
import { runFigures } from './run-figures.js';
import { workload } from './workload.js';

const { poolSize, deadlineMs } = workload;

/**
 * From the server's start to the last contender, told as it goes. Leaves no server behind, however it ends.
 *
 * @returns `undefined` when it was asked to stop
 */
export async function gameDay(options: DemoOptions, signal: AbortSignal): Promise<GameDayResult | undefined> {
  const { seconds, times } = options;
  console.log('Starting PostgreSQL ...');
  await using server = await startDemoServer(signal);
  if (signal.aborted) return undefined;
  console.log(`PostgreSQL ${server.version} (${server.way}) is up after ${duration(server.startedInMs)}.

A service asks it through a pool of ${poolSize} connections. Each query does a little work and waits for
20 ms, as if for a disk or a lock. What can the database do, when ${poolSize} callers each wait for
their answer before they ask again?
`);
  const config = { connectionString: server.url, max: poolSize };
  const capacity = await capacityOf(config, signal);
  if (signal.aborted) return undefined;
  const plan = { perSecond: times * capacity, seconds };
  console.log(`
It can answer ${perSecond(capacity)}. Now ${perSecond(plan.perSecond)} arrive, ${times} times as much, whatever becomes of those before
them. A caller waits for ${deadlineMs / 1000} s and goes; its query stays in the queue, as behind an HTTP timeout.
`);
  const results: ContenderResult[] = [];
  for (const contender of contenders) {
    const { name } = contender;
    const result = await underLoad(name, plan, (onTick) =>
      runContender(contender, config, plan, signal, onTick),
    );
    if (signal.aborted) return undefined;
    results.push({
      figures: runFigures(contender, result, plan, capacity),
      recorder: result.recorder,
      endedAtMs: seconds * 1000 + result.settledMs,
    });
  }
  return { server: `PostgreSQL ${server.version}`, capacity, plan, times, results };
}

async function capacityOf(config: { connectionString: string; max: number }, signal: AbortSignal) {
  const { warmUpSeconds, seconds } = capacityTimes;
  const progress = startProgress('capacity', (warmUpSeconds + seconds) * 1000);
  let answers = 0;
  const onAnswer = (elapsedMs: number) => {
    answers++;
    progress.update(elapsedMs, () => [`${perSecond((answers * 1000) / elapsedMs)} answered`]);
  };
  return measureCapacity(config, signal, onAnswer).finally(progress.stop);
}

async function underLoad<T>(
  name: string,
  plan: LoadPlan,
  run: (onTick: (tick: Parameters<typeof loadLine>[0]) => void) => Promise<T>,
): Promise<T> {
  const loadMs = plan.seconds * 1000;
  const progress = startProgress(name, loadMs);
  try {
    return await run((tick) => progress.update(tick.elapsedMs, () => loadLine(tick, loadMs)));
  } finally {
    progress.stop();
  }
}
