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
  /** Shadow mode: the limit was left alone; `from` and `to` are what it would have been. Absent otherwise. */
  readonly proposed?: true;
}

/** The last changes, oldest first; older ones are dropped, so that a limit that moves for years costs nothing. */
export class LimitHistory {
  readonly #changes: LimitChange[] = [];
  readonly #wallClock: () => number;
  /** What a `resize` asked for last, whatever has become of the limit since. */
  resizedTo: number | undefined;
  /** Of the limit in force. */
  increases = 0;
  decreases = 0;

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
  }

  /** A change in force. */
  moved(from: number, to: number, reason: string, window: LimitChange['window']): LimitChange {
    if (to > from) this.increases++;
    else this.decreases++;
    return this.#keep({ at: this.#wallClock(), from, to, reason, window });
  }

  /** What came before was where the limit begins: it stays, and counts as no change. */
  countFromHere(): void {
    this.increases = this.decreases = 0;
  }

  /** What would have been a change, in shadow mode: kept, and marked as that. */
  proposed(from: number, to: number, reason: string, window: LimitChange['window']): void {
    this.#keep({ at: this.#wallClock(), from, to, reason, window, proposed: true });
  }

  list(): readonly LimitChange[] {
    return Object.freeze([...this.#changes]);
  }

  #keep(change: LimitChange): LimitChange {
    this.#changes.push(Object.freeze(change));
    if (this.#changes.length > KEPT) this.#changes.shift();
    return change;
  }
}

const KEPT = 256;
