import { base, C, fleet, healthy, s } from './common-scenario.js';
import type { Scenario } from './scenario.js';

/** What fails. */
export const faults: readonly Scenario[] = [
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
    name: 'most-at-once',
    shows: 'at 2x, refuses more than 10 at once',
    mostAtOnce: 10,
    phases: [{ at: 0, rate: 2 * C, capacity: 16 }],
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

export const fleets: readonly Scenario[] = [
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
