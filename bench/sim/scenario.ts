/** A kind of operation: demands are drawn with this mean (milliseconds) and coefficient of variation. */
export interface OperationKind {
  readonly name: string;
  readonly demandMs: number;
  readonly cv: number;
  /** Permits it takes. @default 1 */
  readonly weight?: number;
}

/** From `at` (milliseconds) on, what is given changes; the rest stays. */
export interface Phase {
  readonly at: number;
  /** Offered operations a second, of all processes together; a function of the time since the phase began for slopes. */
  readonly rate?: number | ((sinceMs: number) => number);
  readonly capacity?: number | ((sinceMs: number) => number);
  readonly contention?: number;
  /** There and back, milliseconds. */
  readonly networkMs?: number | ((sinceMs: number) => number);
  /** Factor on all demands. */
  readonly slowness?: number;
  /** Share of the first kind of operations; the rest is the second. */
  readonly mix?: number;
  /** How answers arrive: as they are, told to be of no account, or refused at once with an error. */
  readonly answers?: 'normal' | 'ignored' | 'refused-ignored' | 'refused-overload';
  /** Share of answers lost: the caller's timeout ends them. */
  readonly lost?: number;
  /** Processes that offer load. */
  readonly processes?: number;
  /** Operations that arrive at one moment, as those of a request that sends many at once. */
  readonly clump?: number;
  /** Left out of the scores (a fault during which nobody can do anything). */
  readonly unscored?: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly shows: string;
  readonly durationMs: number;
  readonly phases: readonly Phase[];
  readonly kinds: readonly OperationKind[];
  readonly processes?: number;
  /** Connections of each process's pool; without one, operations go straight to the database. */
  readonly pool?: number;
  /** Whether the pool tells how long checkouts wait. @default true */
  readonly tellsPoolWait?: boolean;
  readonly timeoutMs?: number;
  /** With so many at once, the database refuses more, with an error. */
  readonly mostAtOnce?: number;
  /** A timed-out operation is given up by its caller, while the database works on; without this its permit waits for it. */
  readonly abandonsPermits?: boolean;
  readonly retries?: { readonly most: number; readonly backoffMs: number; readonly budget?: number };
  /** Event-loop stalls of every process: `lengthMs` each `everyMs`, from `firstAt`. */
  readonly stalls?: { readonly everyMs: number; readonly lengthMs: number; readonly firstAt: number };
  /** Recovery is measured from here: when the fault ends. */
  readonly faultEndsAt?: number;
  /** Fixed limits that the best is looked for among, of each process. */
  readonly grid?: readonly number[];
  readonly bounds?: { readonly initial?: number; readonly max?: number; readonly min?: number };
}
