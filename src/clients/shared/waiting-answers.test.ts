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
