import type { LoadRecorder } from './load-recorder.js';

interface Call {
  readonly scheduledAt: number;
  state: 'awaited' | 'abandoned' | 'over';
}

export interface CallRules {
  /** After this many milliseconds from its scheduled arrival a caller is gone; what it asked for goes on. */
  readonly deadlineMs: number;
  /** Whether an error says that the call was refused before anything was sent. */
  readonly isRejection: (error: unknown) => boolean;
}

/**
 * Calls that are on their way. Each is told to the recorder as exactly one of: in time, rejected, failed, timed out; one
 * that timed out may be answered all the same, and is told as late then.
 */
export class OutstandingCalls {
  readonly #rules: CallRules;
  readonly #recorder: LoadRecorder;
  readonly #now: () => number;
  /** Oldest first, so that looking for passed deadlines costs nothing but the ones that passed. */
  #byAge: Call[] = [];
  #oldest = 0;
  #running = 0;

  constructor(rules: CallRules, recorder: LoadRecorder, now: () => number) {
    this.#rules = rules;
    this.#recorder = recorder;
    this.#now = now;
  }

  /** Not answered yet, whether somebody waits for it or not. */
  get running(): number {
    return this.#running;
  }

  start(scheduledAt: number, run: () => PromiseLike<unknown>): void {
    const call: Call = { scheduledAt, state: 'awaited' };
    this.#byAge.push(call);
    this.#running++;
    this.#recorder.offered(scheduledAt, this.#now());
    attempt(run).then(
      () => this.#answered(call),
      (error) => this.#ended(call, error),
    );
  }

  abandonOverdue(): void {
    const newest = this.#now() - this.#rules.deadlineMs;
    for (;;) {
      const call = this.#byAge[this.#oldest];
      if (call === undefined || (call.state === 'awaited' && call.scheduledAt > newest)) break;
      this.#abandonIfOverdue(call);
      this.#oldest++;
    }
    if (this.#oldest < 10_000) return;
    this.#byAge = this.#byAge.slice(this.#oldest);
    this.#oldest = 0;
  }

  #abandonIfOverdue(call: Call): void {
    const deadline = call.scheduledAt + this.#rules.deadlineMs;
    if (call.state !== 'awaited' || this.#now() < deadline) return;
    call.state = 'abandoned';
    this.#recorder.timedOut(deadline);
  }

  #answered(call: Call): void {
    this.#abandonIfOverdue(call);
    this.#recorder.answered(call.scheduledAt, this.#now(), call.state === 'awaited');
    this.#end(call);
  }

  #ended(call: Call, error: unknown): void {
    this.#abandonIfOverdue(call);
    if (call.state === 'awaited') {
      if (this.#rules.isRejection(error)) this.#recorder.rejected(call.scheduledAt, this.#now());
      else this.#recorder.failed(this.#now());
    }
    this.#end(call);
  }

  #end(call: Call): void {
    call.state = 'over';
    this.#running--;
  }
}

/** A call that throws has failed like one that rejects. */
async function attempt(run: () => PromiseLike<unknown>): Promise<unknown> {
  return run();
}
