import { expect, test } from 'vitest';
import { CutDoubts } from './cut-doubts.js';

test('without a cut there is no doubt', () => {
  expect(new CutDoubts().onWindow(20, 10, 5)).toBeUndefined();
});

test('a cut that the response follows is believed', () => {
  const doubts = new CutDoubts();
  doubts.cut(40, 40);
  // Half the limit, half the response.
  expect(doubts.onWindow(20, 20, 10)).toBeUndefined();
  expect(doubts.onWindow(20, 40, 10)).toBeUndefined();
});

test('a cut that the response has not followed is made sure of twice, then taken back', () => {
  const doubts = new CutDoubts();
  doubts.cut(40, 40);
  expect(doubts.onWindow(30, 40, 20)).toEqual({ lower: 18 });
  expect(doubts.onWindow(18, 39, 9)).toEqual({ lower: expect.closeTo(10.8) });
  expect(doubts.onWindow(11, 38, 5)).toEqual({ back: 40 });
  expect(doubts.onWindow(40, 40, 20)).toBeUndefined();
});

test('where nothing deeper is wanted there is nothing to be sure of', () => {
  const doubts = new CutDoubts();
  doubts.cut(40, 40);
  expect(doubts.onWindow(30, 40, 28)).toBeUndefined();
  expect(doubts.onWindow(30, 40, 10)).toBeUndefined();
});

test('the first cut counts; what is forgotten does not', () => {
  const doubts = new CutDoubts();
  doubts.cut(40, 40);
  doubts.cut(30, 40);
  expect(doubts.onWindow(10, 40, 5)).toEqual({ back: 40 });
  doubts.cut(40, 40);
  doubts.forget();
  expect(doubts.onWindow(10, 40, 5)).toBeUndefined();
});

test('where nothing lower is left, the cut is taken back at once', () => {
  const doubts = new CutDoubts();
  doubts.cut(2, 10);
  expect(doubts.onWindow(1, 20, 0.5)).toEqual({ back: 2 });
});

test('a limit of one is the least to make sure with', () => {
  const doubts = new CutDoubts();
  doubts.cut(2, 40);
  expect(doubts.onWindow(1.2, 40, 0.5)).toEqual({ lower: 1 });
});
