import { defineHidden } from '../shared/patch-methods.js';
import type { ConnectionCallback, MysqlPool } from './mysql-internals.js';

/**
 * When a connection dies, mysql2 asks its own pool for another one with the callback that is next in line. Tells such a
 * call from a new one, and since when the pool has been opening a connection for a callback that had waited before.
 *
 * Known by the queue and not by what we have put there, since tracing puts callbacks of its own there.
 */
export class Requeued {
  readonly #left = new WeakSet<object>();
  readonly #now: () => number;
  #openingSince: number | undefined;

  /** @param now the clock's reading */
  constructor({ _connectionQueue: queue }: MysqlPool, now: () => number) {
    this.#now = now;
    const shift = queue?.shift;
    if (queue === undefined || shift === undefined) return;
    const left = this.#left;
    defineHidden(queue, 'shift', function (this: unknown) {
      const callback = shift.call(this as never);
      if (typeof callback === 'function') left.add(callback);
      return callback;
    });
  }

  /** Whether a callback has left the pool's queue: it holds its permit already. */
  has(callback: object): boolean {
    return this.#left.has(callback);
  }

  /**
   * While such a callback is called, and once only: when the pool was asked with it again. It opens a connection then, or
   * has one by now, or lets it wait on. `undefined` while others are called.
   */
  takeOpeningSince(): number | undefined {
    const since = this.#openingSince;
    this.#openingSince = undefined;
    return since;
  }

  /** @param getConnection the pool's own */
  ask(pool: MysqlPool, getConnection: MysqlPool['getConnection'], callback: ConnectionCallback): unknown {
    const askedAgainAt = this.#now();
    return getConnection.call(pool, (error, connection) => {
      // Asked with again and again, it has been wrapped as often: the last time is the outermost.
      this.#openingSince ??= askedAgainAt;
      try {
        return callback(error, connection);
      } finally {
        this.#openingSince = undefined;
      }
    });
  }
}
