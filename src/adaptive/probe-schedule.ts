/**
 * Whether, and on which side of the limit, to look this time.
 *
 * Processes that keep one grid of windows look above together, and seldom: alone, each would only see its share grow.
 *
 * @param turn the number of the window, on the grid if there is one
 * @param alert whether something has changed of late
 */
export function probeAt(turn: number, alert: boolean, onGrid: boolean): 'above' | 'below' | undefined {
  const above = onGrid ? ABOVE_ON_GRID : ABOVE;
  if (turn % above === above / 2) return 'above';
  if (alert && !onGrid && turn % OFTEN === OFTEN / 2) return 'above';
  return turn % (alert ? OFTEN : SELDOM) === 0 ? 'below' : undefined;
}

/** A tenth below the knee, and by one at least below the limit. */
export function limitBelow(limit: number, slack: number): number {
  return Math.min(Math.floor((limit / (1 + slack)) * 0.9 + 0.1), Math.ceil(limit) - 1);
}

/** Windows. */
const OFTEN = 8;
const SELDOM = 32;
const ABOVE = 16;
const ABOVE_ON_GRID = 64;
