import type { BackpressureError } from './backpressure-error.js';
import { type DrainOptions, drainGate } from './drain.js';
import { Gate } from './gate.js';
import type { LimitChange } from './limit-history.js';
import { checkObserver, type LimiterObserver } from './limiter-observer.js';
import { type LimiterOptions, resolveLimiterOptions } from './limiter-options.js';
import { snapshot } from './limiter-snapshot.js';
import type { LimiterStats } from './limiter-stats.js';
import { warnOnce } from './observers.js';
import type { OperationClass } from './operation-class.js';
import { checkOperation, type OperationInfo } from './operation-info.js';
import { integerFrom, nonEmptyString } from './option-checks.js';
import { isOutcome, notAnOutcome, type Outcome } from './outcome.js';
import type { Permit } from './permit.js';
import { outcomeOfSystemError } from './system-errors.js';

/**
 * Admits at most {@link limit} operations at a time and refuses the others at once, before anything is sent.
 *
 * For operations of your own; the clients of `floodgate/pg` and its siblings bring a limiter along. Not for pacing: it
 * bounds how many run, not how many start per second.
 *
 * Gotcha: a permit belongs to the operation, not to the caller. Don't give it back because a caller's deadline passed
 * while the operation still runs, or the database will run more than the limit.
 */
export class Limiter {
  /** @internal The accounts, for the wrappers of clients. */
  readonly gate: Gate;
  readonly #defaultClass: OperationClass;

  /** @throws TypeError | RangeError naming the option, the rule and the value */
  constructor(options: LimiterOptions = {}) {
    this.gate = new Gate(resolveLimiterOptions(options));
    this.#defaultClass = this.gate.classes.get('default');
  }

  get name(): string {
    return this.gate.options.name;
  }

  /** The most that {@link limit} may ever be. */
  get maxConcurrentOps(): number {
    return this.gate.options.maxConcurrentOps;
  }

  /** What new work is admitted against. */
  get limit(): number {
    return this.gate.limit;
  }

  /** Permits held. Above {@link limit} for a while after that was lowered: what runs is never killed. */
  get inFlight(): number {
    return this.gate.inFlight;
  }

  /** Operations that wait for a permit: none, unless a queue is configured. */
  get waiting(): number {
    return 0;
  }

  /**
   * Runs `fn` under a permit, which comes back when its promise settles.
   *
   * @param fn called synchronously if admitted, not at all if not
   * @returns what `fn` returns; rejects with what it throws, or with a {@link BackpressureError}
   */
  run<T>(fn: () => T | PromiseLike<T>, op?: OperationInfo): Promise<T> {
    const { gate } = this;
    let operationClass = this.#defaultClass;
    let weight = 1;
    if (op !== undefined) {
      try {
        operationClass = this.#classOf(op);
        weight = this.#weightOf(op, operationClass);
      } catch (error) {
        return Promise.reject(error);
      }
    }
    if (typeof fn !== 'function') {
      return Promise.reject(new TypeError(`floodgate: run() takes a function, got ${typeof fn}`));
    }
    const refusal = gate.refusal(operationClass, weight);
    if (refusal !== undefined)
      return Promise.reject(gate.reject(operationClass, refusal, op?.operation ?? 'run', weight));

    const startedAt = gate.clock.sample();
    const cohort = gate.admit(operationClass, weight, startedAt);
    let result: T | PromiseLike<T>;
    let promise: Promise<T> | undefined;
    try {
      result = fn();
      // A native promise stays itself; thenables, which may call back twice, and subclasses are wrapped in one.
      if (isThenable(result)) promise = ownPromise(result);
    } catch (error) {
      gate.settle(operationClass, weight, cohort, startedAt, this.classify(error));
      return Promise.reject(error);
    }
    if (promise === undefined) {
      gate.settle(operationClass, weight, cohort, startedAt, 'success');
      return Promise.resolve(result);
    }
    // Not an async function: two promises fewer.
    return promise.then(
      (value) => {
        gate.settle(operationClass, weight, cohort, startedAt, 'success');
        return value;
      },
      (error) => {
        gate.settle(operationClass, weight, cohort, startedAt, this.classify(error));
        throw error;
      },
    );
  }

  /** A permit, or `undefined` if there is no room: no error object is made, for hot loops. */
  tryAcquire(op?: OperationInfo): Permit | undefined {
    const operationClass = this.#classOf(op);
    const weight = this.#weightOf(op, operationClass);
    const refusal = this.gate.refusal(operationClass, weight);
    if (refusal === undefined) return this.gate.permitForOperation(operationClass, weight);
    this.gate.countRejected(operationClass, refusal, op?.operation ?? 'tryAcquire');
    return undefined;
  }

  /** @throws {@link BackpressureError} if there is no room */
  acquire(op?: OperationInfo): Permit {
    const operationClass = this.#classOf(op);
    const weight = this.#weightOf(op, operationClass);
    const refusal = this.gate.refusal(operationClass, weight);
    if (refusal === undefined) return this.gate.permitForOperation(operationClass, weight);
    throw this.gate.reject(operationClass, refusal, op?.operation ?? 'acquire', weight);
  }

  /**
   * Moves the limit. What runs goes on; after lowering it, nothing is admitted until enough has ended. A limit that moves
   * by itself goes on from there, within its `min` and `max`.
   *
   * @param limit an integer from 1 to `maxConcurrentOps`
   * @throws TypeError | RangeError
   */
  resize(limit: number): void {
    integerFrom(1, this.maxConcurrentOps)('limit', limit);
    this.gate.history.resizedTo = limit;
    this.gate.setLimit(limit, 'resize', undefined);
  }

  stats(): LimiterStats {
    return snapshot(this.gate);
  }

  /** The last 256 changes of the limit, oldest first, frozen; in shadow mode, those that there would have been. */
  history(): readonly LimitChange[] {
    return this.gate.history.list();
  }

  /**
   * Admits nothing more, for good (`reason: 'draining'`), and waits for what runs.
   *
   * Resolves when nothing runs any more (`state` is then `'drained'`), or at `timeoutMs` at the latest (then it is still
   * `'draining'`). Rejects with `signal.reason` when aborted; the limiter goes on draining.
   */
  drain(options: DrainOptions = {}): Promise<void> {
    return drainGate(this.gate, options);
  }

  /**
   * Listens until the returned function is called. Without observers, nothing is built for them.
   *
   * @throws TypeError for what has none of an observer's methods, or one of another name
   */
  subscribe(observer: LimiterObserver): () => void {
    checkObserver(observer);
    return this.gate.events.subscribe(observer);
  }

  /** @internal What an error says of the server: the word of the `classify` option, else that of the client's table. */
  classify(error: unknown, table: (error: unknown) => Outcome = outcomeOfOperation): Outcome {
    const { classify } = this.gate.options;
    if (classify !== undefined) {
      try {
        const outcome: unknown = classify(error);
        if (isOutcome(outcome)) return outcome;
        if (outcome !== undefined) throw notAnOutcome(outcome);
      } catch (thrown) {
        warnOnce('classify', thrown);
      }
    }
    try {
      return table(error);
    } catch {
      // Reading the error threw (a getter, a revoked proxy). The permit must come back all the same.
      return 'failed';
    }
  }

  #classOf(op: OperationInfo | undefined): OperationClass {
    if (op === undefined) return this.#defaultClass;
    const { operation, operationClass } = op;
    if (operation !== undefined) nonEmptyString('operation', operation);
    if (operationClass === undefined) {
      // It costs as much as an admission, so only what says nothing is looked at: it was meant to say something.
      if (operation === undefined && op.weight === undefined) checkOperation(op);
      return this.#defaultClass;
    }
    nonEmptyString('operationClass', operationClass);
    return this.gate.classes.get(operationClass);
  }

  #weightOf(op: OperationInfo | undefined, operationClass: OperationClass): number {
    const weight = op?.weight ?? 1;
    if (weight !== 1) WEIGHT('weight', weight);
    return this.gate.clampWeight(operationClass, weight);
  }
}

const WEIGHT = integerFrom(1);

function outcomeOfOperation(error: unknown): Outcome {
  return outcomeOfSystemError(error) ?? 'failed';
}

const { then } = Promise.prototype;

/** A native promise, whose `then` calls back once: itself, or one around the thenable. */
function ownPromise<T>(result: PromiseLike<T>): Promise<T> {
  if (result instanceof Promise && result.constructor === Promise && result.then === then) return result;
  return new Promise((resolve) => resolve(result));
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
