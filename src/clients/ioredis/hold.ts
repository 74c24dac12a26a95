import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Gate } from '../../core/gate.js';
import type { NodeShare } from '../../core/node-shares.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { Outcome } from '../../core/outcome.js';
import type { Cohort } from '../../core/permit-ages.js';
import type { RedisPipeline } from './ioredis-internals.js';

/**
 * The permit of one command or pipeline, or those of commands that share their fate. It comes back once, whatever settles
 * first; what comes later changes nothing.
 */
export class Hold {
  readonly owner: HeldOperations;
  readonly operationClass: OperationClass;
  /** Of each of its operations. */
  readonly weight: number;
  readonly share: NodeShare | undefined;
  readonly cohort: Cohort;
  /** A reading of the clock; `NaN` if this operation goes untimed. */
  startedAt: number;
  /** When it was put into the offline queue; `undefined` once it has been sent. */
  queuedAt: number | undefined;
  /** How many operations it stands for. */
  count = 1;
  state: 'open' | 'settled' | 'given back' = 'open';
  /** ioredis has answered the caller on a timer of its own; the server still owes an answer. */
  callerGone = false;
  /** The pipeline that it is for, or that carries it. */
  pipeline: RedisPipeline | undefined;
  /** Told once, with the outcome, when it is settled or given back. */
  onEnd: ((outcome: Outcome) => void) | undefined;
  previous: Hold | undefined;
  next: Hold | undefined;

  constructor(
    owner: HeldOperations,
    operationClass: OperationClass,
    weight: number,
    share: NodeShare | undefined,
    cohort: Cohort,
    startedAt: number,
    queuedAt: number | undefined,
  ) {
    this.owner = owner;
    this.operationClass = operationClass;
    this.weight = weight;
    this.share = share;
    this.cohort = cohort;
    this.startedAt = startedAt;
    this.queuedAt = queuedAt;
  }

  settle(outcome: Outcome): void {
    if (this.state === 'open') this.owner.end(this, 'settled', this.callerGone ? 'overload' : outcome);
  }

  /** @param outcomeOf of each of its operations, in the order in which they joined */
  settleEach(outcomeOf: (index: number) => Outcome): void {
    if (this.state === 'open') this.owner.end(this, 'settled', outcomeOf);
  }

  /** The client has forgotten it: nothing will ever settle it. */
  giveBack(): void {
    if (this.state === 'open') this.owner.end(this, 'given back', this.callerGone ? 'overload' : 'ignored');
  }
}

export function isHold(value: Hold | BackpressureError): value is Hold {
  return value instanceof Hold;
}

/**
 * What one client instance holds: a list that costs a few writes per operation, for the moments when the client forgets
 * its commands (they never settle then) and their permits have to come back.
 */
export class HeldOperations {
  readonly #gate: Gate;
  #newest: Hold | undefined;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /**
   * Takes the permits; the caller has asked for a refusal in the same synchronous step.
   *
   * @param joined it joins the last of these, if all there is to know of it is the same: thousands of objects that live as
   *   long as an answer takes would cost more than all the rest
   */
  take(
    operationClass: OperationClass,
    weight: number,
    share: NodeShare | undefined,
    startedAt: number,
    queuedAt?: number,
    joined?: readonly Hold[],
  ): Hold {
    if (share !== undefined) this.#gate.nodes.enter(share, weight);
    const cohort = this.#gate.admit(operationClass, weight, startedAt);
    // Only now: an observer may have let others join.
    const group = joined?.at(-1);
    if (
      group !== undefined &&
      group.state === 'open' &&
      group.operationClass === operationClass &&
      group.weight === weight &&
      group.share === share &&
      group.cohort === cohort &&
      Number.isNaN(startedAt) &&
      Number.isNaN(group.startedAt) &&
      queuedAt === undefined &&
      group.queuedAt === undefined
    ) {
      group.count++;
      return group;
    }
    const hold = new Hold(this, operationClass, weight, share, cohort, startedAt, queuedAt);
    const newest = this.#newest;
    if (newest !== undefined) {
      hold.previous = newest;
      newest.next = hold;
    }
    this.#newest = hold;
    return hold;
  }

  /** Called by the hold itself, once. */
  end(hold: Hold, state: 'settled' | 'given back', outcomes: Outcome | ((index: number) => Outcome)): void {
    const { operationClass, cohort, startedAt, count, previous, next, share, weight } = hold;
    hold.state = state;
    if (previous !== undefined) previous.next = next;
    if (next !== undefined) next.previous = previous;
    else this.#newest = previous;
    hold.previous = undefined;
    hold.next = undefined;
    let last: Outcome | undefined;
    for (let index = 0; index < count; index++) {
      if (share !== undefined) this.#gate.nodes.leave(share, weight);
      last = typeof outcomes === 'function' ? outcomes(index) : outcomes;
      this.#gate.settle(operationClass, weight, cohort, startedAt, last);
    }
    // What has somebody to tell never shares its hold.
    hold.onEnd?.(last!);
  }

  /** The connection is ready: what waited for it is sent now, and its latency counts from here. */
  sendQueued(): void {
    const gate = this.#gate;
    let now = Number.NaN;
    for (const hold of this) {
      if (hold.queuedAt === undefined) continue;
      if (Number.isNaN(now)) now = gate.clock.now();
      if (hold.weight > 0) gate.recordPoolWait(now - hold.queuedAt);
      if (!Number.isNaN(hold.startedAt)) hold.startedAt = now;
      hold.queuedAt = undefined;
    }
  }

  giveBackAll(): void {
    for (const hold of this) hold.giveBack();
  }

  /** Newest first. Those that are visited may end meanwhile, and end others. */
  [Symbol.iterator](): IterableIterator<Hold> {
    const holds: Hold[] = [];
    for (let hold = this.#newest; hold !== undefined; hold = hold.previous) holds.push(hold);
    return holds.values();
  }
}
