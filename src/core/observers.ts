import type { LimiterObserver } from './limiter-observer.js';
import type { LimiterState } from './limiter-stats.js';

type Event = keyof LimiterObserver;
type Arguments<E extends Event> = Parameters<Required<LimiterObserver>[E]>;

/** Hands events to every observer; one that throws does not harm the others, nor the operation. */
export class Observers {
  readonly #observers: readonly LimiterObserver[];
  /** The state last told, so that only changes are told. */
  #state: LimiterState;

  constructor(observers: readonly LimiterObserver[], state: LimiterState) {
    this.#observers = observers;
    this.#state = state;
  }

  /** Asked once, when they subscribe: an event that nobody listens to should cost nothing. */
  listenTo(...events: readonly Event[]): boolean {
    return this.#observers.some((observer) => events.some((event) => observer[event] !== undefined));
  }

  tell<E extends Event>(event: E, ...args: Arguments<E>): void {
    for (const observer of this.#observers) {
      try {
        (observer[event] as ((...args: Arguments<E>) => void) | undefined)?.apply(observer, args);
      } catch (error) {
        warnOnce(event, error);
      }
    }
  }

  tellState(state: LimiterState): void {
    const previous = this.#state;
    if (state === previous) return;
    this.#state = state;
    this.tell('onStateChange', state, previous);
  }
}

const warned = new Set<string>();

/** A broken listener fails on every operation; one warning a kind is enough. */
export function warnOnce(source: string, error: unknown): void {
  if (warned.has(source)) return;
  warned.add(source);
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`${source} threw; floodgate goes on without it. ${detail}`, {
    type: 'FloodgateWarning',
    code: 'FLOODGATE_CALLBACK_THREW',
  });
}
