import { base, C, s } from './common-scenario.js';
import type { OperationKind, Scenario } from './scenario.js';

const steady: readonly OperationKind[] = [{ name: 'query', demandMs: 10, cv: 0.3 }];
const heavy: readonly OperationKind[] = [{ name: 'query', demandMs: 10, cv: 4 }];

/** Load that comes and goes, at constant strength. */
export const loads: readonly Scenario[] = [
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
    kinds: heavy,
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
  {
    ...base,
    name: 'heavy-tail',
    shows: 'cv 4, at 1.5x',
    kinds: heavy,
    phases: [{ at: 0, rate: 1.5 * C, capacity: 16 }],
  },
  {
    ...base,
    name: 'mix-untold',
    shows: '5 ms, and a tenth of 100 ms, in one class, at 2x',
    kinds: [
      { name: 'query', demandMs: 5, cv: 1 },
      { name: 'query', demandMs: 100, cv: 1 },
    ],
    phases: [{ at: 0, rate: (2 * 16_000) / 14.5, capacity: 16, mix: 0.9 }],
  },
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
  {
    ...base,
    name: 'fan-out',
    shows: 'clumps of 30: 0.3, 2, 0.3 of capacity',
    phases: [
      { at: 0, rate: 0.3 * C, capacity: 16, clump: 30 },
      { at: s(20), rate: 2 * C },
      { at: s(40), rate: 0.3 * C },
    ],
  },
  {
    ...base,
    name: 'fan-out-fast',
    shows: 'clumps of 30 on one server of 0.2 ms: 0.6, then one at a time',
    kinds: [{ name: 'get', demandMs: 0.2, cv: 0.3 }],
    phases: [
      { at: 0, rate: 3000, capacity: 1, contention: 0, clump: 30 },
      { at: s(20), rate: 10_000, clump: 1 },
      { at: s(40), rate: 3000, clump: 30 },
    ],
  },
];
