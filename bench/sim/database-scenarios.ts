import { base, C, healthy, s } from './common-scenario.js';
import type { Scenario } from './scenario.js';

/** A database that changes. */
export const strengths: readonly Scenario[] = [
  {
    ...base,
    name: 'big',
    shows: '200 side by side, 1.4x',
    durationMs: s(25),
    grid: [100, 150, 175, 200, 225, 250, 300, 400],
    phases: [{ at: 0, rate: 1.4 * 20_000, capacity: 200 }],
  },
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
    name: 'storm-comes',
    shows: 'at 1.5x, a knee of 1 from 20 s to 40 s',
    phases: [
      { at: 0, rate: 1.5 * C, capacity: 16 },
      { at: s(20.25), capacity: 1, slowness: 0.5 },
      { at: s(40.25), capacity: 16, slowness: 1 },
    ],
  },
  {
    ...base,
    name: 'noisy-neighbour',
    shows: 'others take 0 to 70 %',
    phases: [{ at: 0, rate: 0.8 * C, capacity: (ms) => 16 * (0.65 + 0.35 * Math.cos(ms / 6000)) }],
  },
];

/** The way there, and what operations are like. */
export const surroundings: readonly Scenario[] = [
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
