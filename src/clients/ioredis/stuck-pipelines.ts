import type { HeldOperations } from './hold.js';
import type { RedisClient, RedisPipeline } from './ioredis-internals.js';

/**
 * Of the pipelines that ioredis makes for single commands, those that it will never send. Until one is answered, the next
 * one for the same nodes waits; for one that it has dropped, or could not write, ioredis waits for ever.
 */
export class StuckPipelines {
  readonly #client: RedisClient;
  readonly #held: HeldOperations;
  /** ioredis' keys for the nodes; a client that is no cluster has one. */
  readonly #stuck = new Set<string>();
  readonly #keys = new WeakMap<RedisPipeline, string>();

  constructor(client: RedisClient, held: HeldOperations) {
    this.#client = client;
    this.#held = held;
  }

  /** ioredis is sending this one, and has noted its key last. */
  sending(pipeline: RedisPipeline): void {
    let last: string | undefined;
    for (const key of this.#client._runningAutoPipelines ?? []) last = key;
    if (last !== undefined) this.#keys.set(pipeline, last);
  }

  /** It is never answered: what waits behind it holds nothing from now on. One of the user's keeps nobody waiting. */
  neverAnswered(pipeline: RedisPipeline): void {
    const key = this.#keys.get(pipeline);
    if (key === undefined) return;
    this.#stuck.add(key);
    for (const hold of this.#held) {
      if (hold.pipeline !== undefined && this.includes(hold.pipeline)) hold.giveBack();
    }
  }

  includes(pipeline: RedisPipeline): boolean {
    if (this.#stuck.size === 0) return false;
    for (const key of this.#stuck) {
      if (this.#client._autoPipelines?.get(key) === pipeline) return true;
    }
    return false;
  }
}
