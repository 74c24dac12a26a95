import type { RedisClient, RedisCommand } from './ioredis-internals.js';
import { isAnswerOwed } from './owed-answers.js';

/**
 * Counts the commands of a pipeline that `commandTimeout` has answered while the server has not. Without that option
 * nothing is watched.
 */
export class LateReplies {
  readonly #client: RedisClient;
  #late = 0;
  #onNone: (() => void) | undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** To be told of a command whenever it is about to be sent. */
  watch(command: RedisCommand): void {
    const { resolve, reject } = command;
    let late = false;
    const answered = () => {
      if (!late) return;
      late = false;
      this.#late--;
      if (this.#late === 0) this.#onNone?.();
    };
    command.resolve = (value) => {
      answered();
      return resolve.call(command, value);
    };
    command.reject = (error) => {
      if (!isAnswerOwed(this.#client, command, error)) answered();
      else if (!late) {
        late = true;
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
