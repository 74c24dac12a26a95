import type { Limiter, LimiterOptions, Permit, StallSource } from 'floodgate';
import { type Arrival, phaseAt, valueAt } from './arrivals.js';
import { ClientProcess } from './client-process.js';
import { Database } from './database.js';
import { EventHeap } from './event-heap.js';
import type { Phase, Scenario } from './scenario.js';
import type { Tally } from './tally.js';

export interface Operation {
  readonly process: ClientProcess;
  readonly arrival: Arrival;
  readonly attempt: number;
  readonly firstAt: number;
  readonly queuedAt: number;
  sentAt: number;
  permit: Permit | undefined;
  readonly lost: boolean;
  answered: boolean;
}

/** Makes the limiter of one process. `schedule` tells a fixed contender when to change its limit. */
export type MakeLimiter = (options: LimiterOptions, stalls: StallSource | undefined) => Limiter;

const STEP_MS = 100;

/** One run in virtual time: the database, the network, the processes and what happens next. */
export class World {
  readonly scenario: Scenario;
  readonly tally: Tally;
  readonly processes: readonly ClientProcess[];
  /** All of one length, so the first to be sent is the first to be due. */
  readonly timeouts: Operation[] = [];
  now = 0;
  phase: Required<Phase>;
  readonly #database: Database<Operation>;
  readonly #events = new EventHeap<() => void>();
  #timeoutsFrom = 0;
  #stall: { from: number; to: number } | undefined;
  readonly #held: (() => void)[] = [];

  constructor(scenario: Scenario, tally: Tally, make: MakeLimiter) {
    this.scenario = scenario;
    this.tally = tally;
    this.phase = phaseAt(scenario, 0);
    this.#database = new Database(this.#strength());
    const { stalls } = scenario;
    const source: StallSource | undefined = stalls && {
      stalledMs: (from, to) => stalledBetween(stalls, from, to),
    };
    this.processes = Array.from({ length: scenario.processes ?? 1 }, (_, index) => {
      const options = { maxConcurrentOps: 1000, name: `process ${index}`, now: () => this.now };
      return new ClientProcess(this, make(options, source));
    });
  }

  /** @param onStep called every 100 ms */
  run(arrivals: readonly Arrival[], onStep: () => void): void {
    const { scenario } = this;
    const { timeoutMs = 500, durationMs } = scenario;
    for (let at = STEP_MS; at <= durationMs; at += STEP_MS) {
      this.#events.add(at, () => {
        this.#changePhase();
        onStep();
      });
    }
    for (const { at } of scenario.phases) this.#events.add(at, () => this.#changePhase());
    const { stalls } = scenario;
    if (stalls !== undefined) {
      for (let at = stalls.firstAt; at < durationMs; at += stalls.everyMs) {
        this.#events.add(at, () => this.#beginStall(at, at + stalls.lengthMs));
      }
    }
    let next = 0;
    for (;;) {
      const arrivalAt = arrivals[next]?.at ?? Number.POSITIVE_INFINITY;
      const eventAt = this.#events.nextAt;
      const databaseAt = this.#database.nextAt;
      while (this.timeouts[this.#timeoutsFrom]?.answered) this.#timeoutsFrom++;
      const first = this.timeouts[this.#timeoutsFrom];
      const timeoutAt = first === undefined ? Number.POSITIVE_INFINITY : first.queuedAt + timeoutMs;
      const at = Math.min(arrivalAt, eventAt, databaseAt, timeoutAt);
      if (at > durationMs) break;
      this.now = Math.max(this.now, at);
      if (at === eventAt) this.#events.take()();
      else if (at === databaseAt) this.#answer(this.#database.end(at));
      else if (at === timeoutAt) {
        this.#timeoutsFrom++;
        this.#atClient(() => {
          if (!first!.answered) first!.process.timeOut(first!);
        });
      } else {
        const arrival = arrivals[next++]!;
        this.tally.offered(arrival.at);
        this.#atClient(() => this.processes[arrival.process]!.offer(arrival, 0, arrival.at));
      }
    }
  }

  send(operation: Operation): void {
    const { demandMs } = operation.arrival;
    const way = this.#networkMs / 2;
    if (way === 0) this.#database.begin(this.now, demandMs, operation);
    else this.later(way, () => this.#database.begin(this.now, demandMs, operation));
  }

  later(ms: number, happen: () => void): void {
    this.#events.add(this.now + ms, happen);
  }

  get databaseInFlight(): number {
    return this.#database.inFlight;
  }

  #answer(operation: Operation): void {
    const arrive = () => this.#atClient(() => operation.process.answer(operation));
    const way = this.#networkMs / 2;
    if (way === 0) arrive();
    else this.later(way, arrive);
  }

  /** What reaches a process while its event loop stands still waits for the end of that. */
  #atClient(happen: () => void): void {
    if (this.#stall === undefined) happen();
    else this.#held.push(happen);
  }

  #beginStall(from: number, to: number): void {
    this.#stall = { from, to };
    this.#events.add(to, () => {
      this.#stall = undefined;
      for (const happen of this.#held.splice(0)) happen();
    });
  }

  get #networkMs(): number {
    return valueAt(this.phase.networkMs, this.now - this.phase.at);
  }

  #strength() {
    return {
      capacity: valueAt(this.phase.capacity, this.now - this.phase.at),
      contention: this.phase.contention,
    };
  }

  #changePhase(): void {
    this.phase = phaseAt(this.scenario, this.now);
    this.#database.set(this.now, this.#strength());
  }
}

function stalledBetween(stalls: NonNullable<Scenario['stalls']>, from: number, to: number): number {
  let stalled = 0;
  const first = Math.max(0, Math.floor((from - stalls.firstAt - stalls.lengthMs) / stalls.everyMs));
  for (let index = first; ; index++) {
    const begin = stalls.firstAt + index * stalls.everyMs;
    if (begin >= to) return stalled;
    stalled += Math.max(0, Math.min(to, begin + stalls.lengthMs) - Math.max(from, begin));
  }
}
