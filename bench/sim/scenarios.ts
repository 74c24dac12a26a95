import type { OperationKind, Phase, Scenario } from './scenario.js';

/** 16 side by side, 10 ms each: 1,600 operations a second. */
const C = 1600;
const query: readonly OperationKind[] = [{ name: 'query', demandMs: 10, cv: 1 }];
const steady: readonly OperationKind[] = [{ name: 'query', demandMs: 10, cv: 0.3 }];
const s = (seconds: number) => seconds * 1000;
const base = { kinds: query, durationMs: s(60) };
const healthy = { at: 0, rate: 0.7 * C, capacity: 16 };

/** Load that comes and goes, at constant strength. */
const loads: readonly Scenario[] = [
  {
    ...base,
    name: 'step',
    shows: '0.5, 2, 0.5 of capacity',
    phases: [
      { at: 0, rate: 0.5 * C, capacity: 16 },
      { at: s(20), rate: 2 * C },
      { at: s(45), rate: 0.5 * C },
    ],
  },
  {
    ...base,
    name: 'burst',
    shows: '6x for 1 s every 20 s',
    phases: [0, 20, 40].flatMap((at) => [
      { at: s(at), rate: 0.6 * C, capacity: 16 },
      { at: s(at + 10), rate: 6 * C },
      { at: s(at + 11), rate: 0.6 * C },
    ]),
  },
  {
    ...base,
    name: 'steady-60',
    shows: 'nothing must be refused',
    phases: [{ at: 0, rate: 0.6 * C, capacity: 16 }],
  },
  {
    ...base,
    name: 'steady-60-cv4',
    shows: 'heavy tail',
    kinds: [{ name: 'query', demandMs: 10, cv: 4 }],
    phases: [{ at: 0, rate: 0.6 * C, capacity: 16 }],
  },
  {
    ...base,
    name: 'steady-80',
    shows: 'cv 0.3',
    kinds: steady,
    phases: [{ at: 0, rate: 0.8 * C, capacity: 16 }],
  },
  { ...base, name: 'steady-95', shows: 'near the knee', phases: [{ at: 0, rate: 0.95 * C, capacity: 16 }] },
  { ...base, name: 'overload-3x', shows: 'lasting', phases: [{ at: 0, rate: 3 * C, capacity: 16 }] },
  {
    ...base,
    name: 'cold-start',
    shows: '96 side by side, from 20',
    durationMs: s(30),
    phases: [{ at: 0, rate: 0.9 * 9600, capacity: 96 }],
  },
  {
    ...base,
    name: 'idle-step',
    shows: '5 %, then 1.5x',
    phases: [
      { at: 0, rate: 0.05 * C, capacity: 16 },
      { at: s(30), rate: 1.5 * C },
    ],
  },
];

/** A database that changes. */
const strengths: readonly Scenario[] = [
  {
    ...base,
    name: 'capacity-halved',
    shows: '16, 8, 16 at 0.9',
    phases: [
      { at: 0, rate: 0.9 * C, capacity: 16 },
      { at: s(20), capacity: 8 },
      { at: s(45), capacity: 16 },
    ],
  },
  {
    ...base,
    name: 'capacity-x4',
    shows: '8, 32 at 1.3',
    phases: [
      { at: 0, rate: 1.3 * C, capacity: 8 },
      { at: s(25), capacity: 32 },
    ],
  },
  {
    ...base,
    name: 'collapse',
    shows: 'thrashing past the knee',
    phases: [
      { at: 0, rate: 0.5 * C, capacity: 16, contention: 0.03 },
      { at: s(15), rate: 2 * C },
    ],
  },
  {
    ...base,
    name: 'lock-storm',
    shows: 'a knee of 2',
    phases: [{ at: 0, rate: 600, capacity: 2, contention: 0.05 }],
  },
  {
    ...base,
    name: 'noisy-neighbour',
    shows: 'others take 0 to 70 %',
    phases: [{ at: 0, rate: 0.8 * C, capacity: (ms) => 16 * (0.65 + 0.35 * Math.cos(ms / 6000)) }],
  },
];

/** The way there, and what operations are like. */
const surroundings: readonly Scenario[] = [
  {
    ...base,
    name: 'network-step',
    shows: '+19 ms',
    phases: [
      { ...healthy, networkMs: 1 },
      { at: s(20), networkMs: 20 },
    ],
  },
  {
    ...base,
    name: 'network-ramp',
    shows: '+20 ms over 50 s',
    phases: [{ ...healthy, networkMs: (ms) => 1 + ms / 2500 }],
  },
  {
    ...base,
    name: 'drift-and-load',
    shows: '+10 ms, then 2x',
    phases: [
      { ...healthy, networkMs: 1 },
      { at: s(15), networkMs: 11 },
      { at: s(30), rate: 2 * C },
    ],
  },
  {
    ...base,
    name: 'mix-shift',
    shows: '3 and 100 ms, 2 % to 40 % slow',
    kinds: [
      { name: 'fast', demandMs: 3, cv: 0.3 },
      { name: 'slow', demandMs: 100, cv: 1 },
    ],
    phases: [
      { at: 0, rate: (0.75 * 16_000) / 4.94, capacity: 16, mix: 0.98 },
      { at: s(20), rate: (0.75 * 16_000) / 41.8, mix: 0.6 },
      { at: s(40), rate: (0.75 * 16_000) / 4.94, mix: 0.98 },
    ],
  },
  {
    ...base,
    name: 'slow-2s',
    shows: '2 s operations',
    durationMs: s(300),
    timeoutMs: s(20),
    kinds: [{ name: 'report', demandMs: 2000, cv: 1 }],
    phases: [{ at: 0, rate: 16, capacity: 16 }],
  },
  {
    ...base,
    name: 'slow-10s',
    shows: '10 s operations',
    durationMs: s(900),
    timeoutMs: s(100),
    kinds: [{ name: 'report', demandMs: 10_000, cv: 0.3 }],
    phases: [{ at: 0, rate: 2.4, capacity: 16 }],
  },
  {
    ...base,
    name: 'sub-ms',
    shows: '0.2 ms operations',
    durationMs: s(15),
    kinds: [{ name: 'get', demandMs: 0.2, cv: 0.3 }],
    phases: [{ at: 0, rate: 12_000, capacity: 4 }],
  },
  {
    ...base,
    name: 'small-pool',
    shows: 'pool of 10, 1.5x',
    pool: 10,
    phases: [{ at: 0, rate: 1500, capacity: 16 }],
  },
  {
    ...base,
    name: 'no-pool-wait',
    shows: 'the same, wait untold',
    pool: 10,
    tellsPoolWait: false,
    phases: [{ at: 0, rate: 1500, capacity: 16 }],
  },
  {
    ...base,
    name: 'batches',
    shows: '1 % weigh 10',
    kinds: [
      { name: 'single', demandMs: 8, cv: 1 },
      { name: 'batch', demandMs: 80, cv: 0.5, weight: 10 },
    ],
    phases: [{ at: 0, rate: 0.7 * C, capacity: 16, mix: 0.99 }],
  },
];

/** What fails. */
const faults: readonly Scenario[] = [
  {
    ...base,
    name: 'black-hole',
    shows: 'nothing moves for 10 s',
    faultEndsAt: s(30),
    phases: [healthy, { at: s(20), capacity: 0, unscored: true }, { at: s(30), capacity: 16 }],
  },
  {
    ...base,
    name: 'black-hole-2x',
    shows: 'the same at 2x',
    faultEndsAt: s(30),
    phases: [
      { ...healthy, rate: 2 * C },
      { at: s(20), capacity: 0, unscored: true },
      { at: s(30), capacity: 16 },
    ],
  },
  {
    ...base,
    name: 'refused',
    shows: 'connections refused for 10 s',
    faultEndsAt: s(30),
    phases: [
      healthy,
      { at: s(20), answers: 'refused-overload', unscored: true },
      { at: s(30), answers: 'normal' },
    ],
  },
  {
    ...base,
    name: 'ignored-errors',
    shows: 'errors of no account for 10 s',
    faultEndsAt: s(30),
    phases: [
      healthy,
      { at: s(20), answers: 'refused-ignored', unscored: true },
      { at: s(30), answers: 'normal' },
    ],
  },
  {
    ...base,
    name: 'lost-answers',
    shows: '20 % time out for 10 s',
    faultEndsAt: s(30),
    phases: [healthy, { at: s(20), lost: 0.2, unscored: true }, { at: s(30), lost: 0 }],
  },
  {
    ...base,
    name: 'no-figures',
    shows: 'answers say nothing for 30 s',
    durationMs: s(70),
    phases: [healthy, { at: s(20), answers: 'ignored' }, { at: s(50), answers: 'normal' }],
  },
  {
    ...base,
    name: 'stalls',
    shows: 'loop stands 250 ms every 5 s',
    stalls: { everyMs: s(5), lengthMs: 250, firstAt: s(3) },
    phases: [healthy],
  },
  {
    ...base,
    name: 'one-stall',
    shows: 'loop stands 2 s',
    stalls: { everyMs: s(100), lengthMs: 2000, firstAt: s(30) },
    phases: [healthy],
  },
  {
    ...base,
    name: 'zombies',
    shows: 'permits given up at timeouts, 2x',
    abandonsPermits: true,
    timeoutMs: 100,
    phases: [{ ...healthy, rate: 2 * C }],
  },
  {
    ...base,
    name: 'retry-storm',
    shows: 'capacity / 4 for 15 s, 3 retries',
    retries: { most: 3, backoffMs: 50 },
    phases: [
      { at: 0, rate: 0.8 * C, capacity: 16 },
      { at: s(20), capacity: 4 },
      { at: s(35), capacity: 16 },
    ],
  },
  {
    ...base,
    name: 'retry-budget',
    shows: 'the same, budget of 20 %',
    retries: { most: 3, backoffMs: 50, budget: 0.2 },
    phases: [
      { at: 0, rate: 0.8 * C, capacity: 16 },
      { at: s(20), capacity: 4 },
      { at: s(35), capacity: 16 },
    ],
  },
];

const fleet = [1, 2, 3, 4, 6, 8, 10, 12, 16, 24];
const fleets: readonly Scenario[] = [
  {
    ...base,
    name: 'fleet-8',
    shows: '8 processes, 0.5 then 2',
    processes: 8,
    grid: fleet,
    phases: [
      { at: 0, rate: 3200, capacity: 64 },
      { at: s(20), rate: 12_800 },
    ],
  },
  {
    ...base,
    name: 'fleet-10',
    shows: '10 processes, 1.5x',
    processes: 10,
    grid: fleet,
    phases: [{ at: 0, rate: 9600, capacity: 64 }],
  },
];

/** Those that the controllers' figures were chosen on. */
export const tuned: readonly Scenario[] = [...loads, ...strengths, ...surroundings, ...faults, ...fleets];

/** `from` with its phases shifted to another database: other strength, other durations. */
function phases(...given: readonly Phase[]): readonly Phase[] {
  return given;
}

const short: readonly OperationKind[] = [{ name: 'get', demandMs: 4, cv: 0.6 }];
const long: readonly OperationKind[] = [{ name: 'query', demandMs: 40, cv: 2 }];

/** Held out: written after the figures were fixed, and never used to change them. */
export const heldOut: readonly Scenario[] = [
  {
    ...base,
    name: 'h-step',
    shows: '24 of 4 ms: 0.4, 3, 0.7',
    kinds: short,
    phases: phases(
      { at: 0, rate: 2400, capacity: 24 },
      { at: s(15), rate: 18_000 },
      { at: s(40), rate: 4200 },
    ),
  },
  {
    ...base,
    name: 'h-overload',
    shows: '10 of 40 ms, cv 2: 2.5x',
    kinds: long,
    phases: phases({ at: 0, rate: 625, capacity: 10 }),
  },
  {
    ...base,
    name: 'h-third',
    shows: '30 to 10 to 30 at 0.85',
    kinds: short,
    phases: phases(
      { at: 0, rate: 6375, capacity: 30 },
      { at: s(20), capacity: 10 },
      { at: s(40), capacity: 30 },
    ),
  },
  {
    ...base,
    name: 'h-thrash',
    shows: 'contention 0.015, 1.7x',
    phases: phases({ at: 0, rate: 1.7 * 1200, capacity: 12, contention: 0.015 }),
  },
  {
    ...base,
    name: 'h-network',
    shows: '+45 ms at 0.6 and 1.5',
    phases: phases(
      { at: 0, rate: 960, capacity: 16, networkMs: 2 },
      { at: s(15), networkMs: 47 },
      { at: s(35), rate: 2400 },
    ),
  },
  {
    ...base,
    name: 'h-pool',
    shows: 'pool of 25, 2x',
    pool: 25,
    kinds: short,
    phases: phases({ at: 0, rate: 12_500, capacity: 40 }),
  },
  {
    ...base,
    name: 'h-outage',
    shows: '6 s black hole at 1.2',
    kinds: short,
    faultEndsAt: s(26),
    phases: phases(
      { at: 0, rate: 7200, capacity: 24 },
      { at: s(20), capacity: 0, unscored: true },
      { at: s(26), capacity: 24 },
    ),
  },
  {
    ...base,
    name: 'h-ramp',
    shows: 'load 0.2 to 2.2 in 50 s',
    phases: phases({ at: 0, rate: (ms) => 1600 * (0.2 + ms / 25_000), capacity: 16 }),
  },
  {
    ...base,
    name: 'h-locks',
    shows: 'a knee of 4 comes at 20 s',
    phases: phases({ at: 0, rate: 1000, capacity: 16 }, { at: s(20), capacity: 4, contention: 0.05 }),
  },
  {
    ...base,
    name: 'h-fleet',
    shows: '10 processes, one of them joins',
    processes: 10,
    grid: fleet,
    kinds: query,
    phases: phases({ at: 0, rate: 7200, capacity: 48, processes: 9 }, { at: s(30), processes: 10 }),
  },
];
