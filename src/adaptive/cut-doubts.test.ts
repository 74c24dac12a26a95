import { expect, test } from 'vitest';
import { CutDoubts } from './cut-doubts.js';
import { ResponseNoise } from './response-noise.js';
import { windowOf } from './testing/window-of.js';

const at = (limit: number, succeeded = 500) => windowOf({ limit, succeeded });

test('without a cut there is no doubt', () => {
  expect(new CutDoubts(new ResponseNoise()).onWindow(at(20), 10, 5)).toBeUndefined();
});

test('a cut that the response follows is believed', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  doubts.cut(at(40), 40);
  // Half the limit, half the response.
  expect(doubts.onWindow(at(20), 20, 10)).toBeUndefined();
  expect(doubts.onWindow(at(20), 40, 10)).toBeUndefined();
});

test('a cut that the response has not followed is made sure of twice, then taken back', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  doubts.cut(at(40), 40);
  expect(doubts.onWindow(at(30), 40, 20)).toEqual({ lower: 18 });
  expect(doubts.onWindow(at(18), 39, 9)).toEqual({ lower: expect.closeTo(10.8) });
  expect(doubts.onWindow(at(11), 38, 5)).toEqual({ back: 40 });
  expect(doubts.onWindow(at(40), 40, 20)).toBeUndefined();
});

test('where it has become worse meanwhile, what comes after is compared with that', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  // A storm began in the middle of the window that was cut by.
  doubts.cut(at(25), 28);
  expect(doubts.onWindow(at(18), 94, 4)).toEqual({ lower: expect.closeTo(10.8) });
  expect(doubts.onWindow(at(11), 57, 4)).toBeUndefined();
  // A way that has become longer in the middle of it.
  doubts.cut(at(25), 28);
  expect(doubts.onWindow(at(18), 94, 4)).toEqual({ lower: expect.closeTo(10.8) });
  expect(doubts.onWindow(at(11), 94, 2)).toEqual({ lower: expect.closeTo(6.6) });
  expect(doubts.onWindow(at(7), 94, 2)).toEqual({ back: 25 });
});

test('where nothing deeper is wanted there is nothing to be sure of', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  doubts.cut(at(40), 40);
  expect(doubts.onWindow(at(30), 40, 28)).toBeUndefined();
  expect(doubts.onWindow(at(30), 40, 10)).toBeUndefined();
});

test('the first cut counts; what is forgotten does not', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  doubts.cut(at(40), 40);
  doubts.cut(at(30), 40);
  expect(doubts.onWindow(at(10), 40, 5)).toEqual({ back: 40 });
  doubts.cut(at(40), 40);
  doubts.forget();
  expect(doubts.onWindow(at(10), 40, 5)).toBeUndefined();
});

test('where nothing lower is left, the cut is taken back at once', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  doubts.cut(at(2), 10);
  expect(doubts.onWindow(at(1), 20, 0.5)).toEqual({ back: 2 });
});

test('a limit of one is the least to make sure with', () => {
  const doubts = new CutDoubts(new ResponseNoise());
  doubts.cut(at(2), 40);
  expect(doubts.onWindow(at(1.2), 40, 0.5)).toEqual({ lower: 1 });
});

test('where responses differ much by chance, what has not followed at once may have', () => {
  const noise = new ResponseNoise();
  for (let index = 0; index < 30; index++)
    noise.onWindow(windowOf({ meanLatency: 10, p50: 10 / Math.sqrt(17) }), 10);
  const doubts = new CutDoubts(noise);
  doubts.cut(at(40, 200), 40);
  expect(doubts.onWindow(at(30, 200), 40, 20)).toBeUndefined();
  // With ten times as many answers it would be plain.
  doubts.cut(at(40, 20_000), 40);
  expect(doubts.onWindow(at(30, 20_000), 40, 20)).toEqual({ lower: 18 });
});
