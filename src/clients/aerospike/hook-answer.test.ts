import { describe, expect, test } from 'vitest';
import { ABORTED, hookAnswer } from './hook-answer.js';

/** Answers as the addon does, and what came of it: endings, with the number of answers passed on before each. */
function hooked(answering: Parameters<typeof hookAnswer>[1], callback: (...answer: unknown[]) => unknown) {
  const endings: [...ending: unknown[], passedOn: number][] = [];
  let passedOn = 0;
  const answer = hookAnswer(
    (...values) => {
      passedOn++;
      return callback(...values);
    },
    answering,
    (...ending) => endings.push([...ending, passedOn]),
  );
  return { answer, endings };
}

describe('a command that is answered once', () => {
  test('ends before its answer is passed on, with results or an error', () => {
    const well = hooked('once', () => undefined);
    well.answer(null, ['results']);
    expect(well.endings).toEqual([[null, ['results'], 0]]);
    const error = { code: 9 };
    const failed = hooked('once', () => undefined);
    failed.answer(error);
    expect(failed.endings).toEqual([[error, undefined, 0]]);
  });

  test('ends even if its callback throws', () => {
    const { answer, endings } = hooked('once', () => {
      throw new Error('of the user');
    });
    expect(() => answer(null, 1)).toThrow('of the user');
    expect(endings).toHaveLength(1);
  });

  test('passes on every argument and the answer to it', () => {
    const { answer } = hooked('once', (...values) => values);
    expect(answer(null, 1, 2, 3)).toEqual([null, 1, 2, 3]);
  });
});

describe('a stream of records', () => {
  test('ends with the call that has no record', () => {
    const { answer, endings } = hooked('records', () => true);
    answer(null, { n: 1 }, {}, {});
    answer(null, {}, {}, {});
    expect(endings).toEqual([]);
    answer();
    expect(endings).toEqual([[2]]);
  });

  test('ends with the state of a page, which comes in place of a record', () => {
    const { answer, endings } = hooked('records', () => true);
    answer(null, { n: 1 }, {}, {});
    answer(null, null, { state: 1 }, null);
    expect(endings).toHaveLength(1);
  });

  test('ends with an error, and not with one that says OK', () => {
    const { answer, endings } = hooked('records', () => true);
    answer({ code: 0 }, { n: 1 }, {}, {});
    expect(endings).toEqual([]);
    answer({ code: 9 });
    expect(endings).toEqual([[{ code: 9 }, 1]]);
  });

  test('ends when its callback says false: the addon calls no more', () => {
    const { answer, endings } = hooked('records', () => false);
    expect(answer(null, { n: 1 }, {}, {})).toBe(false);
    expect(endings).toEqual([[ABORTED, 1]]);
  });
});

describe('a stream of values, an aggregation', () => {
  test.each([[0], [''], [false], [null], [undefined]])('goes on past the value %j', (value) => {
    const { answer, endings } = hooked('values', () => true);
    answer(null, value);
    expect(endings).toEqual([]);
    answer();
    expect(endings).toEqual([[1]]);
  });

  test('goes on when its callback says false, since the addon does', () => {
    const { answer, endings } = hooked('values', () => false);
    answer(null, 1);
    answer(null, 2);
    expect(endings).toEqual([]);
    answer();
    expect(endings).toHaveLength(1);
  });
});
