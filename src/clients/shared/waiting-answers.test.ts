import { expect, test } from 'vitest';
import { WaitingAnswers } from './waiting-answers.js';

const item = (name: string) => ({ name, waitingAt: -1 });

test('each is answered once, in any order', () => {
  const waiting = new WaitingAnswers<ReturnType<typeof item>>();
  const [a, b, c, d] = [item('a'), item('b'), item('c'), item('d')];
  for (const each of [a, b, c]) waiting.add(each);
  expect([waiting.answer(a), waiting.answer(a)]).toEqual([true, false]);
  waiting.add(d);
  expect([waiting.answer(c), waiting.answer(d), waiting.answer(b), waiting.answer(b)]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('what was refused is too late to be answered', () => {
  const waiting = new WaitingAnswers<ReturnType<typeof item>>();
  const all = ['a', 'b', 'c'].map(item);
  for (const each of all) waiting.add(each);
  waiting.answer(all[0]!);
  const refused: string[] = [];
  waiting.refuseAll(({ name }) => refused.push(name));
  expect(refused.sort()).toEqual(['b', 'c']);
  expect(all.map((each) => waiting.answer(each))).toEqual([false, false, false]);
  waiting.refuseAll(() => refused.push('again'));
  expect(refused).toHaveLength(2);
});

test('once closed, it tells when nothing waits any more', () => {
  const told: string[] = [];
  const waiting = new WaitingAnswers<ReturnType<typeof item>>();
  const [a, b] = [item('a'), item('b')];
  for (const each of [a, b]) waiting.add(each);
  waiting.close(() => told.push('answered'));
  waiting.answer(a);
  expect(told).toEqual([]);
  waiting.answer(b);
  expect(told).toEqual(['answered']);

  const refused = new WaitingAnswers<ReturnType<typeof item>>();
  refused.add(a);
  refused.close(() => told.push('refused'));
  refused.refuseAll(() => {});
  new WaitingAnswers().close(() => told.push('empty'));
  expect(told).toEqual(['answered', 'refused', 'empty']);
});
