/** What happened at a limiter since the last look. */
export interface Look {
  readonly admitted: number;
  readonly rejected: number;
  /** Answers of the server, application errors included. */
  readonly answered: number;
  readonly overloaded: number;
  /** Age of the oldest permit that is out now, in milliseconds. */
  readonly oldestPermitMs: number;
}

export interface Rules {
  readonly maxOverloadRatio: number;
  readonly stalledAfterMs: number;
}

/**
 * - `silent`: nothing came in and nothing came back.
 * - `pending`: work came in, and it is too early to say anything.
 */
export type Verdict = 'good' | 'bad' | 'silent' | 'pending';

export interface Judgement {
  readonly verdict: Verdict;
  /** In words, of what is bad. */
  readonly reason: string;
}

/**
 * Whether a dependency does its work. Rejections say nothing of that: a limiter that is full and gets answers is at its
 * best, and an instance that left because of it would hand its load to the others.
 */
export function judge(look: Look, { maxOverloadRatio, stalledAfterMs }: Rules): Judgement {
  const { admitted, rejected, answered, overloaded, oldestPermitMs } = look;
  const ended = answered + overloaded;
  if (ended > 0) {
    if (overloaded / ended < maxOverloadRatio) return GOOD;
    return { verdict: 'bad', reason: `${overloaded} of ${ended} operations met overload` };
  }
  if (admitted + rejected === 0) return SILENT;
  if (oldestPermitMs < stalledAfterMs) return PENDING;
  return {
    verdict: 'bad',
    reason: `no answer, the oldest operation runs for ${Math.round(oldestPermitMs)} ms`,
  };
}

const GOOD: Judgement = { verdict: 'good', reason: '' };
const SILENT: Judgement = { verdict: 'silent', reason: '' };
const PENDING: Judgement = { verdict: 'pending', reason: '' };
