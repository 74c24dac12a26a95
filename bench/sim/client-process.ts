import type { Limiter } from 'floodgate';
import type { Arrival } from './arrivals.js';
import { type WrapperDoor, wrapperDoor } from './internals.js';
import type { Operation, World } from './world.js';

/** One process with a production limiter and a driver's pool in front of the database. */
export class ClientProcess {
  readonly limiter: Limiter;
  readonly #world: World;
  readonly #door: WrapperDoor;
  readonly #classes: readonly unknown[];
  readonly #waiting: Operation[] = [];
  #waitingFrom = 0;
  #connections: number;
  stalledUntil = 0;
  /** Retries that may still be made, where there is a budget. */
  #retryTokens = 10;

  constructor(world: World, limiter: Limiter) {
    this.limiter = limiter;
    this.#world = world;
    this.#door = wrapperDoor(limiter);
    this.#classes = world.scenario.kinds.map(({ name }) => this.#door.classes.get(name));
    this.#connections = world.scenario.pool ?? Number.POSITIVE_INFINITY;
  }

  offer(arrival: Arrival, attempt: number, firstAt: number): void {
    const world = this.#world;
    const operationClass = this.#classes[arrival.kind]!;
    const weight = this.#door.clampWeight(operationClass, world.scenario.kinds[arrival.kind]!.weight ?? 1);
    const refusal = this.#door.refusal(operationClass, weight);
    if (refusal !== undefined) {
      this.#door.countRejected(operationClass, refusal);
      world.tally.rejected(firstAt);
      this.#retry(arrival, attempt, firstAt);
      return;
    }
    const permit = this.#door.permitForCheckout(operationClass, weight);
    const { answers, lost } = world.phase;
    const tooMany = world.databaseInFlight >= (world.scenario.mostAtOnce ?? Number.POSITIVE_INFINITY);
    if (tooMany || answers === 'refused-ignored' || answers === 'refused-overload') {
      permit.release(answers === 'refused-ignored' ? 'ignored' : 'overload');
      world.tally.failed(firstAt);
      return;
    }
    const operation: Operation = {
      process: this,
      arrival,
      attempt,
      firstAt,
      queuedAt: world.now,
      sentAt: Number.NaN,
      permit,
      lost: arrival.luck < lost,
      answered: false,
    };
    world.timeouts.push(operation);
    if (this.#connections > 0) this.#send(operation);
    else this.#waiting.push(operation);
  }

  /** The answer has come back; late ones free the connection and the permit only. */
  answer(operation: Operation): void {
    const world = this.#world;
    const { arrival } = operation;
    // Its connection is stuck until the caller's time is up.
    if (operation.lost) return;
    if (!operation.answered) {
      operation.answered = true;
      const ignored = world.phase.answers === 'ignored';
      if (!ignored) {
        const latency = world.now - operation.sentAt;
        this.#door.recordLatency(this.#classes[arrival.kind], latency, 'success', world.now);
      }
      this.#giveBack(operation, ignored ? 'ignored' : 'success');
      world.tally.succeeded(operation.firstAt, world.now);
      this.#retryTokens = Math.min(10, this.#retryTokens + (world.scenario.retries?.budget ?? 0));
    } else {
      this.#giveBack(operation, 'overload');
    }
    this.#freeConnection();
  }

  /** The caller's time is up. The database knows nothing of it. */
  timeOut(operation: Operation): void {
    const world = this.#world;
    operation.answered = true;
    world.tally.timedOut(operation.firstAt);
    const neverSent = Number.isNaN(operation.sentAt);
    if (!neverSent) {
      const latency = world.now - operation.sentAt;
      this.#door.recordLatency(this.#classes[operation.arrival.kind], latency, 'overload', world.now);
    }
    // What was never sent leaves the pool's queue with its permit.
    if (neverSent || world.scenario.abandonsPermits || operation.lost) this.#giveBack(operation, 'overload');
    if (operation.lost && !neverSent) this.#freeConnection();
    this.#retry(operation.arrival, operation.attempt, operation.firstAt);
  }

  #send(operation: Operation): void {
    const { now, scenario } = this.#world;
    this.#connections--;
    if (scenario.pool !== undefined && scenario.tellsPoolWait !== false) {
      this.#door.recordPoolWait(now - operation.queuedAt, now);
    }
    operation.sentAt = now;
    this.#world.send(operation);
  }

  #freeConnection(): void {
    this.#connections++;
    const next = this.#nextWaiting();
    if (next !== undefined) this.#send(next);
  }

  #nextWaiting(): Operation | undefined {
    while (this.#waitingFrom < this.#waiting.length) {
      const operation = this.#waiting[this.#waitingFrom++]!;
      if (this.#waitingFrom > 1000) {
        this.#waiting.splice(0, this.#waitingFrom);
        this.#waitingFrom = 0;
      }
      if (!operation.answered) return operation;
    }
    return undefined;
  }

  #giveBack(operation: Operation, outcome: 'success' | 'overload' | 'ignored'): void {
    const { permit } = operation;
    operation.permit = undefined;
    permit?.release(outcome);
  }

  #retry(arrival: Arrival, attempt: number, firstAt: number): void {
    const { retries } = this.#world.scenario;
    if (retries === undefined || attempt >= retries.most) return;
    if (retries.budget !== undefined) {
      if (this.#retryTokens < 1) return;
      this.#retryTokens--;
    }
    const wait = retries.backoffMs * 2 ** attempt * (0.5 + arrival.luck);
    this.#world.later(wait, () => this.offer(arrival, attempt + 1, firstAt));
  }
}
