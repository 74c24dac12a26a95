import type { RejectReason } from './backpressure-error.js';
import {
  type LimitMessage,
  limitChannel,
  type RejectMessage,
  rejectChannel,
  type StateMessage,
  stateChannel,
} from './diagnostics.js';
import type { Gate } from './gate.js';
import type { LimitChange } from './limit-history.js';
import type { LimiterObserver } from './limiter-observer.js';
import type { LimiterState } from './limiter-stats.js';
import { Observers, warnOnce } from './observers.js';
import type { Outcome } from './outcome.js';

/** Tells observers and diagnostics channels what happens at a gate. While nobody listens, nothing is built. */
export class GateEvents {
  readonly #gate: Gate;
  #subscriptions: readonly { readonly observer: LimiterObserver }[] = [];
  #observers: Observers | undefined;
  /** Whether one of them listens to every admission and release. */
  #followed = false;
  /** The state last published. While nobody listens it falls behind; the next message catches up. */
  #published: LimiterState = 'open';
  /** The change of the limit that is being told, and those that listeners have made meanwhile. */
  readonly #untold: LimitChange[] = [];

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Whether {@link admitted} and {@link released} have anyone to tell: asked first, on the hot path. */
  get heard(): boolean {
    return this.#followed || stateChannel.hasSubscribers;
  }

  subscribe(observer: LimiterObserver): () => void {
    // An object of its own, so that one observer subscribed twice is two subscriptions.
    const subscription = { observer };
    this.#setSubscriptions([...this.#subscriptions, subscription]);
    return () => this.#setSubscriptions(this.#subscriptions.filter((other) => other !== subscription));
  }

  admitted(operationClass: string, weight: number): void {
    this.#observers?.tell('onAdmit', operationClass, weight);
    this.stateMayHaveChanged();
  }

  released(operationClass: string, weight: number, outcome: Outcome): void {
    this.#observers?.tell('onRelease', operationClass, weight, outcome);
    this.stateMayHaveChanged();
  }

  rejected(operationClass: string, reason: RejectReason, operation: string): void {
    this.#observers?.tell('onReject', operationClass, reason);
    if (!rejectChannel.hasSubscribers) return;
    const { limit, inFlight, options } = this.#gate;
    const limiter = options.name;
    rejectChannel.publish({
      limiter,
      operation,
      operationClass,
      reason,
      limit,
      inFlight,
    } satisfies RejectMessage);
  }

  latency(operationClass: string, latencyMs: number, outcome: Outcome): void {
    this.#observers?.tell('onLatency', operationClass, latencyMs, outcome);
  }

  poolWait(waitMs: number): void {
    this.#observers?.tell('onPoolWait', waitMs);
  }

  connectTime(connectMs: number): void {
    this.#observers?.tell('onConnectTime', connectMs);
  }

  /**
   * A change that a listener makes is told after the one it has just heard of: so all hear all changes in order, and
   * listeners that set themselves off are not told without end.
   */
  limitChanged(change: LimitChange): void {
    if (this.#untold.push(change) > 1) return;
    try {
      for (let told = 0; told < this.#untold.length && told < MOST_IN_A_ROW; told++)
        this.#tellLimit(this.#untold[told]!);
      if (this.#untold.length > MOST_IN_A_ROW) warnOnce('onLimitChange', new RangeError(SET_OFF));
    } finally {
      this.#untold.length = 0;
    }
  }

  #tellLimit(change: LimitChange): void {
    this.#observers?.tell('onLimitChange', change);
    if (limitChannel.hasSubscribers) {
      limitChannel.publish({ limiter: this.#gate.options.name, ...change } satisfies LimitMessage);
    }
    this.stateMayHaveChanged();
  }

  /** The state is read after each step: an observer may have used the limiter, or taken itself away. */
  stateMayHaveChanged(): void {
    this.#observers?.tellState(this.#gate.state);
    if (!stateChannel.hasSubscribers) return;
    const { state, options } = this.#gate;
    const previous = this.#published;
    if (state === previous) return;
    this.#published = state;
    stateChannel.publish({ limiter: options.name, state, previous } satisfies StateMessage);
  }

  #setSubscriptions(subscriptions: readonly { readonly observer: LimiterObserver }[]): void {
    this.#subscriptions = subscriptions;
    const observers = subscriptions.map(({ observer }) => observer);
    this.#observers = observers.length === 0 ? undefined : new Observers(observers, this.#gate.state);
    this.#followed = this.#observers?.listenTo('onAdmit', 'onRelease', 'onStateChange') ?? false;
    this.#gate.clock.everyOperation = this.#observers?.listenTo('onLatency') ?? false;
  }
}

const MOST_IN_A_ROW = 16;
const SET_OFF = `set off by its own changes ${MOST_IN_A_ROW} times in a row: not told further`;
