import {
  checkOptions,
  complaint,
  integerFrom,
  millisecondsAboveZero,
  millisecondsFrom,
  nonEmptyString,
  numberFrom,
  type OptionCheck,
  ofType,
} from '../core/option-checks.js';
import { AimdController } from './aimd.js';
import type { LimitController } from './controller.js';
import { permits } from './controller-range.js';
import { FixedController } from './fixed.js';
import { Gradient2Controller } from './gradient2.js';
import { KneeController } from './knee.js';
import { ThresholdController } from './threshold.js';
import { VegasController } from './vegas.js';

/** A controller that floodgate brings along, by name. */
export type ControllerName = 'knee' | 'aimd' | 'vegas' | 'gradient2' | 'threshold' | 'fixed';

/**
 * How the limit moves by itself. Every option has a default that needs no tuning.
 *
 * @typeParam C the operation classes there are, where they are known
 */
export interface AdaptiveOptions<C extends string = string> {
  /** Who decides: a name, or an object of your own. @default 'knee' */
  readonly controller?: ControllerName | LimitController | undefined;
  /** The limit at the start: an integer from `min` to `max`. @default 20, or the nearest that `min` and `max` allow */
  readonly initial?: number | undefined;
  /** The limit is never below this: an integer from 1. @default 1 */
  readonly min?: number | undefined;
  /** The limit is never above this: an integer up to `maxConcurrentOps`. @default maxConcurrentOps */
  readonly max?: number | undefined;
  /**
   * Length of a window, in milliseconds from 50. It grows by itself with slow operations and with few samples. Shorter is
   * quicker and noisier. @default 500
   */
  readonly windowMs?: number | undefined;
  /** Answers a window should have: an integer from 1. With fewer it is prolonged, to four times its length. @default 30 */
  readonly minSamples?: number | undefined;
  /** The limit changes at most by this factor a second, up or down: from 1.1. @default 16 */
  readonly maxChangePerSecond?: number | undefined;
  /** Without figures for this long (milliseconds from 100) while there is traffic, the limit is stale. @default 10000 */
  readonly staleAfterMs?: number | undefined;
  /** Where a stale limit drifts, by a third of the way (of the logarithm) each window: an integer from `min` to `max`. @default initial */
  readonly fallback?: number | undefined;
  /** Guard: mean wait for a connection, in milliseconds above 0. Above it the limit is cut by a fifth a window. @default none */
  readonly targetPoolWaitMs?: number | undefined;
  /** Guard: p95 of latency, in milliseconds above 0. Above it the limit is cut by a fifth a window. @default none */
  readonly targetLatencyMs?: number | undefined;
  /**
   * Guard: share of answers that met overload, 0 to 1; 0 allows none. Above it the limit is cut by a fifth a window.
   * @default none
   */
  readonly maxErrorRatio?: number | undefined;
  /**
   * Protect mode: names of operation classes (`'stream'`, `'scan'`) that are refused outright, with reason `'shedding'`,
   * while things stay bad: three windows in a row with more than 5 % overload or a broken guard, until one is better (or
   * as the controller's own `protecting` says). @default none
   */
  readonly sheddable?: readonly C[] | undefined;
  /**
   * Shadow mode: leaves the limit alone, and reports what it would be, in `stats().adaptive` and `history()`. Without being
   * tried out the figures are rough. @default false
   */
  readonly observe?: boolean | undefined;
}

export interface ResolvedAdaptiveOptions {
  readonly controller: LimitController;
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly windowMs: number;
  readonly minSamples: number;
  readonly maxChangePerSecond: number;
  readonly staleAfterMs: number;
  readonly fallback: number;
  readonly targetPoolWaitMs: number;
  readonly targetLatencyMs: number;
  readonly maxErrorRatio: number;
  readonly sheddable: readonly string[];
  readonly observe: boolean;
}

const CONTROLLERS: Readonly<
  Record<ControllerName, (range: { initial: number; min: number; max: number }) => LimitController>
> = {
  knee: (range) => new KneeController(range),
  aimd: (range) => new AimdController(range),
  vegas: (range) => new VegasController(range),
  gradient2: (range) => new Gradient2Controller(range),
  threshold: (range) => new ThresholdController(range),
  fixed: ({ initial }) => new FixedController(initial),
};

const GUARD_MS = millisecondsAboveZero(' (leave it out for no guard)');

const CHECKS: Readonly<Record<keyof AdaptiveOptions, OptionCheck>> = {
  controller: checkController,
  initial: integerFrom(1),
  min: integerFrom(1),
  max: integerFrom(1),
  windowMs: millisecondsFrom(50),
  minSamples: integerFrom(1),
  maxChangePerSecond: numberFrom(1.1),
  staleAfterMs: millisecondsFrom(100),
  fallback: integerFrom(1),
  targetPoolWaitMs: GUARD_MS,
  targetLatencyMs: GUARD_MS,
  maxErrorRatio: numberFrom(0, 1),
  sheddable: checkSheddable,
  observe: ofType('boolean'),
};

/** @returns `undefined` where the limit is to stay fixed. @throws TypeError | RangeError */
export function resolveAdaptive(
  adaptive: unknown,
  maxConcurrentOps: number,
): ResolvedAdaptiveOptions | undefined {
  if (adaptive === undefined || adaptive === false) return undefined;
  const options = optionsOf(adaptive);
  checkOptions('adaptive', options, CHECKS, '', 'adaptive.');
  const max = within('max', 1, maxConcurrentOps, options.max ?? maxConcurrentOps);
  const min = within('min', 1, max, options.min ?? 1);
  const own = typeof options.controller === 'object' ? options.controller : undefined;
  const first = Math.floor(own?.limit ?? DEFAULT_INITIAL);
  const initial = within('initial', min, max, options.initial ?? Math.min(Math.max(first, min), max));
  return {
    controller:
      own ?? CONTROLLERS[(options.controller as ControllerName | undefined) ?? 'knee']({ initial, min, max }),
    initial,
    min,
    max,
    windowMs: options.windowMs ?? 500,
    minSamples: options.minSamples ?? 30,
    maxChangePerSecond: options.maxChangePerSecond ?? 16,
    staleAfterMs: options.staleAfterMs ?? 10_000,
    fallback: within('fallback', min, max, options.fallback ?? initial),
    targetPoolWaitMs: options.targetPoolWaitMs ?? Number.POSITIVE_INFINITY,
    targetLatencyMs: options.targetLatencyMs ?? Number.POSITIVE_INFINITY,
    maxErrorRatio: options.maxErrorRatio ?? 1,
    sheddable: [...(options.sheddable ?? [])],
    observe: options.observe ?? false,
  };
}

function optionsOf(adaptive: unknown): AdaptiveOptions {
  if (adaptive === true) return {};
  if (typeof adaptive !== 'object' || adaptive === null || Array.isArray(adaptive)) {
    throw new TypeError(
      complaint('adaptive', 'a boolean, an object of options or a LimitController', adaptive) +
        newFor(adaptive),
    );
  }
  return 'onWindow' in adaptive ? { controller: adaptive as LimitController } : adaptive;
}

function checkController(option: string, value: unknown): void {
  if (typeof value === 'string' && Object.hasOwn(CONTROLLERS, value)) return;
  const rule = `a LimitController ({ limit, onWindow(window) }) or one of ${Object.keys(CONTROLLERS)
    .map((name) => `'${name}'`)
    .join(', ')}`;
  if (typeof value === 'string') throw new RangeError(complaint(option, rule, value));
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(complaint(option, rule, value) + newFor(value));
  }
  const { limit, onWindow } = value as Partial<LimitController>;
  if (limit === undefined && onWindow === undefined) throw new TypeError(complaint(option, rule, value));
  ofType('function')(`${option}.onWindow`, onWindow);
  permits(`${option}.limit`, limit);
}

/** A class, or a function that makes one, is given easily where the object is meant. */
function newFor(value: unknown): string {
  return typeof value === 'function' ? ': did you forget new, or to call it?' : '';
}

function checkSheddable(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(complaint(option, 'an array of class names', value));
  value.forEach((name, index) => {
    nonEmptyString(`${option}[${index}]`, name);
  });
}

function within(option: string, least: number, most: number, value: number): number {
  integerFrom(least, most)(`adaptive.${option}`, value);
  return value;
}

const DEFAULT_INITIAL = 20;
