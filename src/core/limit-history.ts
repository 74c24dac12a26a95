/** One change of a limit. */
export interface LimitChange {
  /** Milliseconds since the epoch (with a clock of your own: its time). */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** In words: `'resize'` for a call, else the controller's reason. */
  readonly reason: string;
  /** The figures that caused it, where a controller did. Durations in milliseconds. */
  readonly window?: Readonly<Record<string, number>> | undefined;
}

/** The last changes, oldest first; older ones are dropped, so that a limit that moves for years costs nothing. */
export class LimitHistory {
  readonly #changes: LimitChange[] = [];
  increases = 0;
  decreases = 0;

  add(change: LimitChange): void {
    if (change.to > change.from) this.increases++;
    else this.decreases++;
    this.#changes.push(Object.freeze(change));
    if (this.#changes.length > KEPT) this.#changes.shift();
  }

  list(): readonly LimitChange[] {
    return Object.freeze([...this.#changes]);
  }
}

const KEPT = 256;
