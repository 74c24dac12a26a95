import type { Outcome } from '../../core/outcome.js';
import { defineHidden } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import type { Hold } from './hold.js';
import type { RedisCommand } from './ioredis-internals.js';
import { kindOf } from './operations.js';
import { isAnswerOwed, isMadeUp } from './owed-answers.js';

/** Which commands a timer of ioredis may answer before the server does. */
export type Timed = 'all' | 'blocking' | 'none';

export function timedCommands({ client: { options } }: Admission): Timed {
  const { redisOptions } = options;
  if (typeof (options.commandTimeout ?? redisOptions?.commandTimeout) === 'number') return 'all';
  return (options.blockingTimeout ?? redisOptions?.blockingTimeout ?? 0) > 0 ? 'blocking' : 'none';
}

export function isTimed(command: RedisCommand, timed: Timed): boolean {
  if (timed !== 'blocking') return timed === 'all';
  // For ioredis they block without BLOCK too.
  return kindOf(command) === 'blocking' || /^xread/i.test(command.name);
}

/**
 * Counts the commands of a pipeline that a timer of ioredis has answered (`commandTimeout`, `blockingTimeout`) while the
 * server has not. Without those options nothing is watched.
 */
export class LateReplies {
  readonly #admission: Admission;
  readonly #watched = new WeakSet<RedisCommand>();
  #late = 0;
  #callerGone = false;
  #onNone: (() => void) | undefined;

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  /** To be told of a command when it is about to be sent; it may be told of again. */
  watch(command: RedisCommand): void {
    if (this.#watched.has(command)) return;
    this.#watched.add(command);
    const { initPromise } = command;
    const state = { late: false };
    this.#hook(command, state);
    // A cluster makes commands anew before it looks whether to send them again; the answer that is owed comes to the same.
    defineHidden(command, 'initPromise', () => {
      initPromise.call(command);
      this.#hook(command, state);
    });
  }

  #hook(command: RedisCommand, state: { late: boolean }): void {
    const { resolve, reject } = command;
    const owed = () => {
      if (state.late) return;
      state.late = true;
      this.#late++;
    };
    const answered = () => {
      if (!state.late) return;
      state.late = false;
      this.#late--;
      if (this.#late === 0) this.#onNone?.();
    };
    command.resolve = (value) => {
      if (isMadeUp(this.#admission.client, command, value)) {
        this.#callerGone = true;
        owed();
      } else answered();
      return resolve.call(command, value);
    };
    command.reject = (error) => {
      if (isAnswerOwed(this.#admission, error)) owed();
      else answered();
      return reject.call(command, error);
    };
  }

  /** Once every answer is there: at once, if none is owed. */
  settle(hold: Hold, outcome: Outcome): void {
    if (this.#callerGone) hold.callerGone = true;
    if (this.#late === 0) hold.settle(outcome);
    else this.#onNone = () => hold.settle(outcome);
  }
}
