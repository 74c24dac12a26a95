import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NodeShares } from './node-shares.js';

const LIMIT = 60;

/** Fills the nodes in turn, as often as they are let, and returns what each holds. */
function fill(names: readonly string[], known: readonly string[], limit = LIMIT): Record<string, number> {
  const shares = new NodeShares();
  shares.setKnown({}, new Set(known));
  let inFlight = 0;
  for (let admitted = true; admitted; ) {
    admitted = false;
    for (const name of names) {
      const share = shares.share(name);
      if (inFlight + 1 > limit || shares.refuses(share, 1, limit, inFlight)) continue;
      shares.enter(share, 1);
      inFlight++;
      admitted = true;
    }
  }
  return Object.fromEntries(Object.entries(shares.stats()).map(([name, stats]) => [name, stats.inFlight]));
}

describe('NodeShares', () => {
  test('a node that is alone may hold the whole limit', () => {
    expect(fill(['a'], ['a'])).toEqual({ a: 60 });
  });

  test('busy nodes hold the whole limit together, in equal parts', () => {
    expect(fill(['a', 'b', 'c'], ['a', 'b', 'c'])).toEqual({ a: 20, b: 20, c: 20 });
  });

  test('one hanging node leaves a third of the limit free', () => {
    expect(fill(['a'], ['a', 'b', 'c'])).toEqual({ a: 40, b: 0, c: 0 });
  });

  test('two hanging nodes leave a fifth', () => {
    expect(fill(['a', 'b'], ['a', 'b', 'c'])).toEqual({ a: 24, b: 24, c: 0 });
  });

  test('an operation heavier than a share runs on a node that holds nothing', () => {
    const shares = new NodeShares();
    shares.setKnown({}, new Set(['a', 'b']));
    expect(shares.refuses(shares.share('a'), 60, LIMIT, 0)).toBe(false);
  });

  test('a node that has left is forgotten, but not before its permits are back', () => {
    const shares = new NodeShares();
    const client = {};
    shares.setKnown(client, new Set(['a', 'b']));
    shares.enter(shares.share('a'), 1);
    shares.setKnown(client, new Set(['c']));
    expect(Object.keys(shares.stats())).toEqual(['a', 'c']);
    shares.leave(shares.share('a'), 1);
    expect(Object.keys(shares.stats())).toEqual(['c']);
    shares.setKnown(client, new Set());
    expect(shares.stats()).toEqual({});
  });

  test('a node is known as long as one of the clients that share it has it', () => {
    const shares = new NodeShares();
    const [first, second] = [{}, {}];
    shares.setKnown(first, new Set(['a', 'b']));
    shares.setKnown(second, new Set(['b', 'c']));
    shares.setKnown(first, new Set());
    expect(Object.keys(shares.stats())).toEqual(['b', 'c']);
    shares.setKnown(second, new Set(['c']));
    expect(Object.keys(shares.stats())).toEqual(['c']);
  });

  test('a node that is nobody’s own counts only while something is held for it', () => {
    const shares = new NodeShares();
    shares.setKnown({}, new Set(['a', 'b']));
    shares.enter(shares.share('replica'), 2);
    shares.leave(shares.share('replica'), 1);
    expect(Object.keys(shares.stats())).toEqual(['a', 'b', 'replica']);
    shares.leave(shares.share('replica'), 1);
    expect(Object.keys(shares.stats())).toEqual(['a', 'b']);
  });

  test('whichever nodes hang, one that holds nothing finds room as long as any permit is free', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 3, max: 500 }), (nodes, limit) => {
        const names = Array.from({ length: nodes }, (_, index) => `node-${index}`);
        const hanging = names.slice(1);
        const held = Object.values(fill(hanging, names, limit)).reduce((sum, count) => sum + count, 0);
        // What the hanging ones may hold: their fair shares, or the point where each equals twice what is free.
        const fair = Math.ceil(limit / nodes) * hanging.length;
        const balance = Math.ceil((2 * limit * hanging.length) / (1 + 2 * hanging.length));
        expect(held).toBeLessThanOrEqual(Math.min(limit, Math.max(fair, balance + hanging.length)));
      }),
    );
  });
});

test('what is refused is told with the node, what it holds, and what it may hold beside what the others leave free', () => {
  const shares = new NodeShares();
  const [sick, idle] = [shares.share('10.0.0.1:6379'), shares.share('10.0.0.2:6379')];
  shares.enter(sick, 7);
  shares.enter(idle, 1);
  expect(shares.refuses(sick, 1, 10, 8)).toBe(true);
  expect(shares.shareTaken(sick, 10, 8)).toBe("node '10.0.0.1:6379' holds 7 permits and may hold 5 now");
  // Half of the limit is its own; beside that, twice what is free.
  expect(shares.shareTaken(sick, 20, 8)).toContain('may hold 24 now');
});
