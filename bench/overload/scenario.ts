import type { Target } from './target.js';

/** Something that happens to a server under load. */
export interface Scenario {
  readonly key: string;
  readonly title: string;
  start(): Promise<Stage>;
}

export interface Stage extends AsyncDisposable {
  readonly target: Target;
  /** In words: what happens, and what is asked for meanwhile. */
  readonly shows: string;
  /** The load, times the capacity in the first phase; the same in all. */
  readonly times: number;
  readonly phases: readonly Phase[];
}

export interface Phase {
  readonly name: string;
  /** Makes the world what it is in this phase. */
  enter(): void | Promise<void>;
  /** The best limit here is that of an earlier phase, by its place; without it, one is looked for. */
  readonly like?: number;
  /** A phase in which nobody can do anything: it lasts so long, and is not compared. */
  readonly idleSeconds?: number;
}
