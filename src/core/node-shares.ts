import type { NodeStats } from './limiter-stats.js';

/** What one server behind a client holds. */
export class NodeShare {
  readonly name: string;
  /** Some client has this node among its own. */
  known = false;
  /** Permits held for this node. */
  inFlight = 0;
  admitted = 0;
  rejected = 0;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Keeps one sick server from starving the others behind the same client (the nodes of a cluster): operations that hang
 * on it would end up holding every permit.
 *
 * A node may always hold its fair share of the limit, limit / nodes. Beyond that it may hold up to {@link ROOM} times
 * the permits that are free, so a busy node uses what idle ones leave, but the last permits stay free for the others:
 * with one node hanging a third of the limit, with two a fifth. (The dynamic thresholds of shared-memory switches:
 * Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.)
 */
export class NodeShares {
  readonly #shares = new Map<string, NodeShare>();
  readonly #known = new Map<object, ReadonlySet<string>>();

  /** @param name of the node: host and port, never more of them than there are servers */
  share(name: string): NodeShare {
    let share = this.#shares.get(name);
    if (share === undefined) {
      share = new NodeShare(name);
      this.#shares.set(name, share);
    }
    return share;
  }

  /**
   * Which nodes are a client's own from now on; none, when it has ended. They count for the fair share, busy or not; any
   * other node does as long as something is held for it, and is forgotten then.
   */
  setKnown(client: object, names: ReadonlySet<string>): void {
    if (names.size === 0) this.#known.delete(client);
    else this.#known.set(client, names);
    for (const name of names) this.share(name);
    for (const share of this.#shares.values()) {
      share.known = this.#isKnown(share.name);
      this.#forgetUnused(share);
    }
  }

  /**
   * Whether this node has had its share.
   *
   * @param limit of the limiter
   * @param inFlight permits held for all nodes together
   */
  refuses(share: NodeShare, weight: number, limit: number, inFlight: number): boolean {
    // Something heavier than a share must be able to run, alone.
    if (this.#shares.size < 2 || share.inFlight === 0) return false;
    return share.inFlight + weight > this.#room(limit, inFlight);
  }

  /** In words, for what {@link refuses} has refused. */
  shareTaken({ name, inFlight: held }: NodeShare, limit: number, inFlight: number): string {
    return `node '${name}' holds ${held} permits and may hold ${this.#room(limit, inFlight)} now`;
  }

  /** How many permits one node may hold. */
  #room(limit: number, inFlight: number): number {
    return Math.max(Math.ceil(limit / this.#shares.size), ROOM * (limit - inFlight));
  }

  enter(share: NodeShare, weight: number): void {
    share.inFlight += weight;
    share.admitted++;
  }

  leave(share: NodeShare, weight: number): void {
    share.inFlight -= weight;
    this.#forgetUnused(share);
  }

  stats(): Readonly<Record<string, NodeStats>> {
    const stats: Record<string, NodeStats> = {};
    for (const { name, inFlight, admitted, rejected } of this.#shares.values()) {
      stats[name] = Object.freeze({ inFlight, admitted, rejected });
    }
    return Object.freeze(stats);
  }

  #isKnown(name: string): boolean {
    for (const names of this.#known.values()) if (names.has(name)) return true;
    return false;
  }

  #forgetUnused(share: NodeShare): void {
    if (share.inFlight === 0 && !share.known) this.#shares.delete(share.name);
  }
}

const ROOM = 2;
