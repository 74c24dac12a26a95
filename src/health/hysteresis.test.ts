import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Hysteresis } from './hysteresis.js';

/** g: good, b: bad, a dot says nothing; answers what it thinks after each. */
function after(looks: string, failureThreshold = 3, successThreshold = 2): string {
  const hysteresis = new Hysteresis(failureThreshold, successThreshold);
  return [...looks]
    .map((look) => {
      hysteresis.look(look === '.' ? undefined : look === 'g');
      return hysteresis.down ? 'D' : 'u';
    })
    .join('');
}

test.each([
  ['bbb', 'uuD'],
  ['bbgbbgbbb', 'uuuuuuuuD'],
  ['b.b..b', 'uuuuuD'],
  ['bbbgg', 'uuDDu'],
  ['bbbgbgbgg', 'uuDDDDDDu'],
  ['bbbg...g', 'uuDDDDDu'],
  ['bbbggbbb', 'uuDDuuuD'],
  ['.....', 'uuuuu'],
])('%s -> %s', (looks, expected) => {
  expect(after(looks)).toBe(expected);
});

test('changes its mind exactly when the last looks that say anything agree, as many as the threshold', () => {
  const looks = fc.array(fc.constantFrom('g', 'b', '.'), { maxLength: 60 }).map((array) => array.join(''));
  const threshold = fc.integer({ min: 1, max: 5 });
  fc.assert(
    fc.property(looks, threshold, threshold, (given, failures, successes) => {
      const states = after(given, failures, successes);
      let down = false;
      let said = '';
      for (const [index, look] of [...given].entries()) {
        if (look !== '.') said += look;
        const due = down ? said.endsWith('g'.repeat(successes)) : said.endsWith('b'.repeat(failures));
        if (look !== '.' && due) {
          down = !down;
          said = '';
        }
        expect(states[index]).toBe(down ? 'D' : 'u');
      }
    }),
  );
});
