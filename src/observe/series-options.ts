import type { Attributes } from '@opentelemetry/api';

/** What the series of one limiter have in common. */
export interface SeriesOptions {
  /** `floodgate.limiter`, and the name of the pool. */
  readonly name: string;
  /** `db.system.name`. */
  readonly system: string;
  readonly attributes: Attributes;
}
