import { defineHidden } from '../shared/patch-methods.js';
import type { Callback, MysqlCommand } from './mysql-internals.js';
import { isClientTimeout } from './outcomes.js';

/**
 * Learns when a command has been answered and when the server is done with it. The two differ where mysql2's `timeout`
 * answers the caller while the server works on.
 *
 * The caller hears of one end only: bare mysql2 calls back a second time if the server answers with an error after the
 * timeout.
 */
export abstract class CommandObserver {
  #callback: Callback | undefined;
  #state: 'open' | 'abandoned' | 'done' = 'open';

  /** Its caller is being told, with an error or (`undefined`) without. Once. */
  protected abstract onAnswered(error: unknown): void;
  /** The server is done with it, too. Once, after {@link onAnswered}; never if the connection is lost first. */
  protected abstract onDone(): void;

  /** @param byPool whether a pool has sent it: then somebody calls {@link ended} at its `'end'` */
  observe(command: MysqlCommand, byPool: boolean): void {
    if (typeof command.onResult === 'function') {
      const observer = this;
      this.#callback = command.onResult;
      // Named, and not written into the assignment: V8 puts a function that is written there into its old space, where it
      // and all that it can reach outlive their use by far.
      const told: Callback = function (this: unknown, ...answer) {
        const error = answer[0];
        if (!error) observer.ended();
        else if (!observer.failed(error)) return undefined;
        if (observer.#state === 'abandoned') command.once('end', () => observer.ended());
        else command.onResult = toldAlready;
        if (byPool && !error) letGo(command);
        return observer.#callBack(this, answer);
      };
      command.onResult = told;
      if (!byPool) command.once('end', () => observer.ended());
    } else {
      // No listeners here: one for 'error' would change what happens to errors that nobody listens for. One function for
      // all commands: closures as methods would give each command a shape of its own, which costs as much as the query.
      observers.set(command, this);
      defineHidden(command, 'emit', emitObserved);
    }
  }

  /** @returns whether the caller is to hear of it */
  failed(error: unknown): boolean {
    if (this.#state === 'abandoned') return false;
    if (this.#state === 'done') return true;
    const abandoned = isClientTimeout(error);
    this.#state = abandoned ? 'abandoned' : 'done';
    this.onAnswered(error);
    if (!abandoned) this.onDone();
    return true;
  }

  ended(): void {
    if (this.#state === 'done') return;
    const answered = this.#state === 'abandoned';
    this.#state = 'done';
    if (!answered) this.onAnswered(undefined);
    this.onDone();
  }

  /** Once, and lets go of the callback: a command stays reachable for a while, and its caller's promise would with it. */
  #callBack(self: unknown, answer: unknown[]): unknown {
    const callback = this.#callback;
    this.#callback = undefined;
    if (!answer[0]) return callback?.apply(self, answer);
    try {
      return callback?.apply(self, answer);
    } catch (thrown) {
      // Uncaught, as with bare mysql2. Thrown here, it would cost a pool the connection for ever.
      process.nextTick(() => {
        throw thrown;
      });
      return undefined;
    }
  }
}

/** Observes a command by two functions. */
export function observeCommand(command: MysqlCommand, hooks: CommandHooks): void {
  new HookedObserver(hooks).observe(command, false);
}

export interface CommandHooks {
  answered(error: unknown): void;
  done(): void;
}

class HookedObserver extends CommandObserver {
  readonly #hooks: CommandHooks;

  constructor(hooks: CommandHooks) {
    super();
    this.#hooks = hooks;
  }

  protected override onAnswered(error: unknown): void {
    this.#hooks.answered(error);
  }

  protected override onDone(): void {
    this.#hooks.done();
  }
}

/** In the place of a callback that has been called: the command may stay reachable for a while, its observer need not. */
function toldAlready(): void {}

/**
 * What a pool has sent stays reachable until the next full garbage collection: mysql2 gives it a function that V8 puts into
 * its old space. So it must not keep what its caller is done with. Of an answered command nobody looks at these again.
 */
function letGo(command: MysqlCommand): void {
  // Only where they are: a new property would make it another kind of object.
  if ('_queryOptions' in command) Object.assign(command, NOTHING_LEFT);
}

const NOTHING_LEFT = { _rows: undefined, _fields: undefined, _queryOptions: undefined };

const observers = new WeakMap<MysqlCommand, CommandObserver>();

function emitObserved(this: MysqlCommand, event: string, ...args: unknown[]): boolean {
  if (event === 'end') observers.get(this)?.ended();
  else if (event === 'error' && observers.get(this)?.failed(args[0]) === false) return false;
  return Object.getPrototypeOf(this).emit.call(this, event, ...args);
}

/** mysql2 takes the start out of an Execute whose Prepare has failed: then it ends without having run. */
export function wasSkipped(command: MysqlCommand): boolean {
  return Object.hasOwn(command, 'start');
}
