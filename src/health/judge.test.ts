import { describe, expect, test } from 'vitest';
import { judge, type Look } from './judge.js';

const rules = { maxOverloadRatio: 0.5, stalledAfterMs: 5_000 };
const NOTHING: Look = { admitted: 0, rejected: 0, answered: 0, overloaded: 0, oldestPermitMs: 0 };
const look = (seen: Partial<Look>) => judge({ ...NOTHING, ...seen }, rules);

describe('a look is', () => {
  test.each<[string, Partial<Look>]>([
    ['with answers', { admitted: 10, answered: 10 }],
    ['with answers to what came before', { answered: 1, oldestPermitMs: 60_000 }],
    ['of an overload, as long as something is answered', { admitted: 1, rejected: 1_000, answered: 1 }],
    ['with fewer than half of the answers met by overload', { admitted: 10, answered: 6, overloaded: 5 }],
  ])('good %s', (_, seen) => {
    expect(look(seen)).toEqual({ verdict: 'good', reason: '' });
  });

  test.each<[string, Partial<Look>, string]>([
    ['by half', { answered: 5, overloaded: 5 }, '5 of 10 operations met overload'],
    ['by all', { overloaded: 3, rejected: 40 }, '3 of 3 operations met overload'],
    [
      'when what came in waits behind what is stuck',
      { admitted: 4, oldestPermitMs: 5_000 },
      'no answer, the oldest operation runs for 5000 ms',
    ],
    [
      'when all is rejected and nothing moves',
      { rejected: 900, oldestPermitMs: 7_000.4 },
      'no answer, the oldest operation runs for 7000 ms',
    ],
  ])('bad %s', (_, seen, reason) => {
    expect(look(seen)).toEqual({ verdict: 'bad', reason });
  });

  test.each<[string, Partial<Look>]>([
    ['when nothing happens', {}],
    ['when nothing happens but a permit that is held for ever', { oldestPermitMs: 3_600_000 }],
  ])('silent %s', (_, seen) => {
    expect(look(seen).verdict).toBe('silent');
  });

  test.each<[string, Partial<Look>]>([
    ['for operations that have just begun', { admitted: 10, oldestPermitMs: 900 }],
    ['for a limit that has just become full', { rejected: 10, oldestPermitMs: 4_999 }],
  ])('pending %s', (_, seen) => {
    expect(look(seen).verdict).toBe('pending');
  });
});
