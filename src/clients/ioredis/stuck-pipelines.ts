import type { HeldOperations } from './hold.js';
import type { RedisClient, RedisPipeline } from './ioredis-internals.js';

/**
 * Of the pipelines that ioredis makes for single commands, those that it will never send. Until one is answered, the next
 * one for the same nodes waits; for one that it has dropped, or could not write, ioredis waits for ever.
 *
 * Should such a one be answered after all, what had joined behind it is sent without permits: it gave them back, and a part
 * of a pipeline can't be refused any more. What joins from then on is bounded again.
 */
export class StuckPipelines {
  readonly #client: RedisClient;
  readonly #held: HeldOperations;
  /** By ioredis' keys for the nodes (a client that is no cluster has one): what it waits for. */
  readonly #stuck = new Map<string, RedisPipeline>();
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

  /** ioredis goes on with the next one. */
  answered(pipeline: RedisPipeline): void {
    const key = this.#keys.get(pipeline);
    if (key === undefined) return;
    this.#keys.delete(pipeline);
    if (this.#stuck.get(key) === pipeline) this.#stuck.delete(key);
  }

  /** It is never answered: what waits behind it holds nothing from now on. One of the user's keeps nobody waiting. */
  neverAnswered(pipeline: RedisPipeline): void {
    const key = this.#keys.get(pipeline);
    if (key === undefined) return;
    this.#stuck.set(key, pipeline);
    for (const hold of this.#held) {
      if (hold.pipeline !== undefined && this.includes(hold.pipeline)) hold.giveBack();
    }
  }

  includes(pipeline: RedisPipeline): boolean {
    if (this.#stuck.size === 0) return false;
    for (const key of this.#stuck.keys()) {
      if (this.#client._autoPipelines?.get(key) === pipeline) return true;
    }
    return false;
  }
}
