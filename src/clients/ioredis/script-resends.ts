import type { Hold } from './hold.js';
import type { RedisClient, RedisCommand } from './ioredis-internals.js';

/**
 * When the server has forgotten a script (NOSCRIPT), ioredis sends it again, as a new command. That is the same operation:
 * the new command takes over the permit of the first, and can't be refused half-way.
 */
export class ScriptResends {
  readonly #client: RedisClient;
  /** By the class of their commands, which ioredis makes for each script. */
  readonly #offered = new Map<unknown, Hold[]>();

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Whether ioredis will send this command again by itself. */
  follows(command: RedisCommand, error: unknown): boolean {
    const { message } = (error ?? {}) as { message?: unknown };
    // As ioredis looks for it.
    return typeof message === 'string' && message.includes('NOSCRIPT') && this.isScript(command);
  }

  isScript(command: RedisCommand): boolean {
    const scripts = Object.values(this.#client.scriptsSet ?? {});
    return scripts.some((script) => script.Command === command.constructor);
  }

  /** ioredis sends it within this turn of the event loop; what nobody takes comes back after it. */
  offer(command: RedisCommand, hold: Hold): void {
    const key = command.constructor;
    const holds = this.#offered.get(key) ?? [];
    this.#offered.set(key, holds);
    holds.push(hold);
    setImmediate(() => {
      const index = holds.indexOf(hold);
      if (index < 0) return;
      holds.splice(index, 1);
      if (holds.length === 0) this.#offered.delete(key);
      hold.settle('failed');
    });
  }

  take(command: RedisCommand): Hold | undefined {
    if (this.#offered.size === 0) return undefined;
    const key = command.constructor;
    const holds = this.#offered.get(key);
    const hold = holds?.shift();
    if (holds?.length === 0) this.#offered.delete(key);
    return hold;
  }
}
