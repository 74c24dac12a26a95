import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import type { Outcome } from '../../core/outcome.js';
import { HeldOperations, type Hold } from './hold.js';

const OUTCOMES: readonly Outcome[] = ['success', 'failed', 'overload', 'ignored'];
const outcome = fc.constantFrom(...OUTCOMES);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      operationClass: fc.constantFrom('command', 'blocking'),
      node: fc.constantFrom(undefined, 'a', 'b'),
      timed: fc.boolean(),
      queued: fc.boolean(),
      joins: fc.boolean(),
      passes: fc.integer({ min: 0, max: 20 }),
    }),
  },
  fc.record({ kind: fc.constant('settle' as const), which: fc.nat(), outcome }),
  fc.record({ kind: fc.constant('settle each' as const), which: fc.nat(), outcomes: fc.array(outcome) }),
  fc.record({ kind: fc.constant('give back' as const), which: fc.nat() }),
);

test('however operations share holds, each is counted once, by its own outcome, and its node and permit are free again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let now = 0;
      const { gate } = new Limiter({ maxConcurrentOps: 1_000, now: () => now });
      const held = new HeldOperations(gate);
      const holds: Hold[] = [];
      const expected = { success: 0, failed: 0, overload: 0, ignored: 0 };
      let taken = 0;
      const count = (outcome: Outcome, times: number) => {
        expected[outcome] += times;
      };
      for (const current of steps) {
        if (current.kind === 'take') {
          now += current.passes;
          const { node } = current;
          const hold = held.take(
            gate.classes.get(current.operationClass),
            1,
            node === undefined ? undefined : gate.nodes.share(node),
            current.timed ? now : Number.NaN,
            current.queued ? now : undefined,
            current.joins ? holds : undefined,
          );
          taken++;
          if (hold !== holds.at(-1)) holds.push(hold);
          continue;
        }
        const hold = holds[current.which % holds.length];
        if (hold === undefined) continue;
        const open = hold.state === 'open';
        if (current.kind === 'settle') {
          if (open) count(current.outcome, hold.count);
          hold.settle(current.outcome);
        } else if (current.kind === 'give back') {
          if (open) count('ignored', hold.count);
          hold.giveBack();
        } else {
          const outcomeOf = (index: number) => current.outcomes[index] ?? 'success';
          if (open) for (let index = 0; index < hold.count; index++) count(outcomeOf(index), 1);
          hold.settleEach(outcomeOf);
        }
        const stillOpen = holds.filter(({ state }) => state === 'open');
        expect(gate.inFlight).toBe(stillOpen.reduce((sum, other) => sum + other.count, 0));
        expect([...held]).toEqual([...stillOpen].reverse());
        for (const share of ['a', 'b']) {
          const mine = stillOpen.filter((other) => other.share?.name === share);
          expect(gate.nodes.stats()[share]?.inFlight ?? 0).toBe(
            mine.reduce((sum, other) => sum + other.count, 0),
          );
        }
      }
      for (const { state, count: times } of holds) if (state === 'open') count('ignored', times);
      held.giveBackAll();
      const ended = { success: 0, failed: 0, overload: 0, ignored: 0 };
      let admitted = 0;
      for (const name of ['command', 'blocking']) {
        const operationClass = gate.classes.get(name);
        admitted += operationClass.admitted;
        for (const key of OUTCOMES) ended[key] += operationClass.ended[key];
      }
      expect(admitted).toBe(taken);
      expect(ended).toEqual(expected);
      expect({ inFlight: gate.inFlight, running: gate.running, oldest: gate.ages.oldestMs(now) }).toEqual({
        inFlight: 0,
        running: 0,
        oldest: 0,
      });
      expect(gate.nodes.stats()).toEqual({});
    }),
  );
});

test('commands sent in one turn share one hold; one that is timed, another class or another node has its own', () => {
  const { gate } = new Limiter({ maxConcurrentOps: 100, now: () => 0 });
  const held = new HeldOperations(gate);
  const command = gate.classes.get('command');
  const share = gate.nodes.share('a');
  const first = held.take(command, 1, share, Number.NaN);
  expect(held.take(command, 1, share, Number.NaN, undefined, [first])).toBe(first);
  expect(held.take(command, 1, share, 0, undefined, [first])).not.toBe(first);
  expect(held.take(command, 1, gate.nodes.share('b'), Number.NaN, undefined, [first])).not.toBe(first);
  expect(held.take(gate.classes.get('blocking'), 1, share, Number.NaN, undefined, [first])).not.toBe(first);
  expect(first.count).toBe(2);
  first.settle('success');
  expect(held.take(command, 1, share, Number.NaN, undefined, [first])).not.toBe(first);
  expect(gate.inFlight).toBe(4);
});

test.each(OUTCOMES)(
  'who waits for the end of a hold hears of the outcome that it was settled with: %s',
  (outcome) => {
    const { gate } = new Limiter({ maxConcurrentOps: 100, now: () => 0 });
    const held = new HeldOperations(gate);
    const heard: Outcome[] = [];
    for (const settle of [
      (hold: Hold) => hold.settle(outcome),
      (hold: Hold) => hold.settleEach(() => outcome),
    ]) {
      const hold = held.take(gate.classes.get('command'), 1, undefined, Number.NaN);
      hold.onEnd = (told) => heard.push(told);
      settle(hold);
    }
    expect(heard).toEqual([outcome, outcome]);
  },
);

test('all are given back, whichever others each of them ends', () => {
  const { gate } = new Limiter({ maxConcurrentOps: 100, now: () => 0 });
  const held = new HeldOperations(gate);
  const holds = Array.from({ length: 5 }, () =>
    held.take(gate.classes.get('command'), 1, undefined, Number.NaN),
  );
  holds[4]!.onEnd = (outcome) => holds[3]!.settle(outcome);
  held.giveBackAll();
  expect(gate.inFlight).toBe(0);
  expect(gate.classes.get('command').ended).toMatchObject({ ignored: 5 });
});
