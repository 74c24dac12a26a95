import { defineHidden } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import type { RedisCommand } from './ioredis-internals.js';
import { isAnswerOwed } from './owed-answers.js';

/**
 * Counts the commands of a pipeline that `commandTimeout` has answered while the server has not. Without that option
 * nothing is watched.
 */
export class LateReplies {
  readonly #admission: Admission;
  readonly #watched = new WeakSet<RedisCommand>();
  #late = 0;
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
    const answered = () => {
      if (!state.late) return;
      state.late = false;
      this.#late--;
      if (this.#late === 0) this.#onNone?.();
    };
    command.resolve = (value) => {
      answered();
      return resolve.call(command, value);
    };
    command.reject = (error) => {
      if (!isAnswerOwed(this.#admission, error)) answered();
      else if (!state.late) {
        state.late = true;
        this.#late++;
      }
      return reject.call(command, error);
    };
  }

  /** Calls back once every answer is there: at once, if none is owed. */
  whenNone(callback: () => void): void {
    if (this.#late === 0) callback();
    else this.#onNone = callback;
  }
}
