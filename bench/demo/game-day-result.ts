import type { LoadRecorder } from '../load/load-recorder.js';
import type { LoadPlan } from './run-contender.js';
import type { RunFigures } from './run-figures.js';

export interface ContenderResult {
  readonly figures: RunFigures;
  readonly recorder: LoadRecorder;
  /** After the start of the load: when the backlog was gone, or left alone. */
  readonly endedAtMs: number;
}

/** All there is to tell; table, words and page are made of it. */
export interface GameDayResult {
  readonly server: string;
  /** Answers per second. */
  readonly capacity: number;
  readonly plan: LoadPlan;
  readonly times: number;
  readonly results: readonly ContenderResult[];
}
