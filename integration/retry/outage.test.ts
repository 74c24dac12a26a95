import { Limiter, type LimiterOptions } from 'floodgate';
import { RetryBudget, type RetryOptions, retry } from 'floodgate/retry';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../bench/load/virtual-clock.js';
import { RandomStream } from '../../bench/sim/random.js';
import { note } from '../field-cases/support/note.js';
import { VirtualDatabase } from './virtual-database.js';

const CAPACITY = 10;
const DEMAND_MS = 50;
/** 200 a second at best; past 10 at a time it thrashes. */
const PER_SECOND = (CAPACITY * 1_000) / DEMAND_MS;
const OUTAGE = { from: 10, to: 20 };
const SECONDS = 40;
const SEEDS = [1, 2, 3, 4, 5, 6, 7];
/** A caller has gone after this long; an answer then is worth nothing. */
const PATIENCE_MS = 2_000;

interface Second {
  calls: number;
  attempts: number;
  /** In time. */
  served: number;
}

interface Life {
  /** As a share of what the database can do. */
  readonly load: number;
  /** Without them, nothing stands before the database. */
  readonly limits?: LimiterOptions;
  readonly budgeted: boolean;
  readonly outage: boolean;
  readonly seed: number;
}

/** 40 s in virtual time, by the second; from 10 s to 20 s the database is frozen. The same calls come in every life. */
async function live({ load, limits, budgeted, outage, seed }: Life): Promise<readonly Second[]> {
  const clock = new VirtualClock();
  const now = () => clock.now();
  const database = new VirtualDatabase(clock, CAPACITY, 0.02);
  const limiter = limits && new Limiter({ retryAfterMs: 100, ...limits, now });
  const demands = new RandomStream(seed, 'demands');
  const arrivals = new RandomStream(seed, 'arrivals');
  const jitter = new RandomStream(seed, 'jitter');
  const options: RetryOptions = {
    clock,
    random: () => jitter.next(),
    budget: budgeted ? new RetryBudget({ now }) : false,
    maxElapsedMs: PATIENCE_MS,
  };
  const seconds = Array.from({ length: SECONDS }, () => ({ calls: 0, attempts: 0, served: 0 }));
  const count = (key: keyof Second) => {
    const second = seconds[Math.floor(now() / 1_000)];
    if (second !== undefined) second[key]++;
  };

  const arrive = () => {
    clock.after(arrivals.exponential(1_000 / (load * PER_SECOND)), arrive);
    const arrivedAt = now();
    const demandMs = demands.exponential(DEMAND_MS);
    count('calls');
    const attempt = () => {
      count('attempts');
      const work = () => database.call(demandMs);
      return limiter === undefined ? work() : limiter.run(work);
    };
    const served = () => now() - arrivedAt <= PATIENCE_MS && count('served');
    retry(attempt, options).then(served, () => {});
  };
  arrive();
  if (outage) {
    clock.after(OUTAGE.from * 1_000, () => database.freeze());
    clock.after(OUTAGE.to * 1_000, () => database.thaw());
  }
  await clock.pause(SECONDS * 1_000);
  return seconds;
}

/** What happened in all of these lives, second by second: one alone depends on how its dice fall. */
async function liveAll(life: Omit<Life, 'seed'>): Promise<readonly Second[]> {
  const lives = await Promise.all(SEEDS.map((seed) => live({ ...life, seed })));
  return Array.from({ length: SECONDS }, (_, index) => {
    const same = lives.map((seconds) => seconds[index]!);
    return { calls: sum(same, 'calls'), attempts: sum(same, 'attempts'), served: sum(same, 'served') };
  });
}

const sum = (seconds: readonly Second[], key: keyof Second) =>
  seconds.reduce((total, second) => total + second[key], 0);
/** From one second after the end of the outage on. */
const afterwards = (seconds: readonly Second[]) => seconds.slice(OUTAGE.to + 1);
const storm = (seconds: readonly Second[]) =>
  Math.max(...seconds.map(({ attempts, calls }) => attempts / calls));

describe('10 s of outage, in virtual time', () => {
  test('are not over when they are over for a database with nothing before it', async () => {
    const quiet = await liveAll({ load: 0.5, budgeted: true, outage: false });
    const hit = await liveAll({ load: 0.5, budgeted: true, outage: true });
    expect(sum(quiet, 'served') / sum(quiet, 'calls')).toBeGreaterThan(0.99);
    expect(sum(afterwards(hit), 'served') / sum(afterwards(quiet), 'served')).toBeLessThan(0.02);
  });

  const FIXED: LimiterOptions = { maxConcurrentOps: 12 };
  const ADAPTIVE: LimiterOptions = { maxConcurrentOps: 100, adaptive: true };

  test.each([
    ['80 % of the capacity, a fixed limit', 0.8, FIXED],
    ['80 % of the capacity, an adaptive limit', 0.8, ADAPTIVE],
    ['three times the capacity, a fixed limit', 3, FIXED],
    ['three times the capacity, an adaptive limit', 3, ADAPTIVE],
  ] as const)('%s: service is back within a second, and stays', async (name, load, limits) => {
    const quiet = await liveAll({ load, limits, budgeted: true, outage: false });
    const hit = await liveAll({ load, limits, budgeted: true, outage: true });
    const without = await liveAll({ load, limits, budgeted: false, outage: true });
    // Second by second, beside the same calls in a life without the outage.
    const seconds = afterwards(hit).map(({ served }, index) => served / afterwards(quiet)[index]!.served);
    const figures = {
      quiet: sum(afterwards(quiet), 'served') / afterwards(quiet).length / SEEDS.length,
      after: sum(afterwards(hit), 'served') / sum(afterwards(quiet), 'served'),
      worst: Math.min(...seconds),
      amplification: sum(hit, 'attempts') / sum(hit, 'calls'),
      // Attempts for each call, in the worst second: the first two may spend what good times have saved up.
      outburst: storm(hit.slice(OUTAGE.from, OUTAGE.from + 2)),
      storm: storm(hit.slice(OUTAGE.from + 2, OUTAGE.to + 2)),
      'storm without a budget': storm(without.slice(OUTAGE.from + 2, OUTAGE.to + 2)),
    };
    note(name, figures);
    expect(sum(hit.slice(OUTAGE.from + 1, OUTAGE.to), 'served')).toBe(0);
    expect(figures.after).toBeGreaterThan(0.95);
    expect(figures.worst).toBeGreaterThan(0.85);
    expect(figures.amplification).toBeLessThanOrEqual(1.2);
    expect(figures.outburst).toBeLessThanOrEqual(2);
    expect(figures.storm).toBeLessThanOrEqual(1.2);
    expect(figures['storm without a budget']).toBeGreaterThanOrEqual(2);
  });
});
