import type { Gate } from '../../core/gate.js';
import type { NodeShare } from '../../core/node-shares.js';
import type { RedisClient, RedisCommand } from './ioredis-internals.js';

/** Knows which node of a cluster an operation hangs on: the master of its key's slot, as ioredis itself would route it. */
export class ClusterNodes {
  readonly #client: RedisClient;
  readonly #gate: Gate;
  /** Of the slots that the gate has been told the nodes of. */
  #groups: unknown;

  constructor(client: RedisClient, gate: Gate) {
    this.#client = client;
    this.#gate = gate;
  }

  /** `undefined` for what has no key: ioredis sends it to any node. */
  shareOf(command: RedisCommand): NodeShare | undefined {
    return this.#shareOfSlot(slotOf(command));
  }

  /** The whole pipeline goes to the node of its first key. */
  shareOfAll(commands: readonly RedisCommand[]): NodeShare | undefined {
    for (const command of commands) {
      const slot = slotOf(command);
      if (slot !== null) return this.#shareOfSlot(slot);
    }
    return undefined;
  }

  #shareOfSlot(slot: number | null): NodeShare | undefined {
    if (slot === null) return undefined;
    const { slots, _groupsIds } = this.#client;
    if (_groupsIds !== this.#groups) this.#learnNodes(slots, _groupsIds);
    const master = slots?.[slot]?.[0];
    return master === undefined ? undefined : this.#gate.nodes.share(master);
  }

  /** All masters count for the fair share, those without a command yet too. */
  #learnNodes(slots: RedisClient['slots'], groups: unknown): void {
    this.#groups = groups;
    const masters = new Set<string>();
    let last: unknown;
    for (const nodes of slots ?? []) {
      if (nodes === last) continue;
      last = nodes;
      if (nodes?.[0] !== undefined) masters.add(nodes[0]);
    }
    this.#gate.nodes.setKnown(this.#client, masters);
  }

  /** The cluster has ended: it has no nodes any more. */
  forgetAll(): void {
    this.#gate.nodes.setKnown(this.#client, new Set());
  }
}

function slotOf(command: RedisCommand): number | null {
  try {
    return command.getSlot();
  } catch {
    // Arguments without sense: ioredis asks the same next, and throws in its own way.
    return null;
  }
}
