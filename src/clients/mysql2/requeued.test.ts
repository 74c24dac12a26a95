import { describe, expect, test } from 'vitest';
import type { ConnectionCallback, MysqlPool } from './mysql-internals.js';
import { Requeued } from './requeued.js';

/** A pool whose answers are given by hand. */
function watchedPool() {
  const clock = { now: 0 };
  const queue: ConnectionCallback[] = [];
  const pool = { _connectionQueue: queue } as unknown as MysqlPool;
  const requeued = new Requeued(pool, () => clock.now);
  /** As the pool does when a connection has died. */
  const askAgain = () => {
    let answer!: ConnectionCallback;
    const getConnection = (callback: ConnectionCallback) => {
      answer = callback;
    };
    requeued.ask(pool, getConnection, pool._connectionQueue!.shift() as ConnectionCallback);
    return answer;
  };
  return { clock, queue, requeued, askAgain };
}

describe('a callback of the queue', () => {
  test('is known by having left it', () => {
    const { queue, requeued, askAgain } = watchedPool();
    const [first, second] = [() => {}, () => {}];
    queue.push(first, second);
    askAgain();
    expect([requeued.has(first), requeued.has(second)]).toEqual([true, false]);
  });

  test('hears once, and while it is called only, since when the pool has been opening', () => {
    const { clock, queue, requeued, askAgain } = watchedPool();
    const heard: unknown[] = [];
    queue.push(() => heard.push(requeued.takeOpeningSince(), requeued.takeOpeningSince()));
    clock.now = 300;
    const answer = askAgain();
    clock.now = 320;
    expect(requeued.takeOpeningSince()).toBeUndefined();
    answer(null);
    expect([...heard, requeued.takeOpeningSince()]).toEqual([300, undefined, undefined]);
  });

  test('that takes nothing leaves nothing behind, even if it throws', () => {
    const { queue, requeued, askAgain } = watchedPool();
    queue.push(() => {
      throw new Error('of the caller');
    });
    const answer = askAgain();
    expect(() => answer(null)).toThrow('of the caller');
    expect(requeued.takeOpeningSince()).toBeUndefined();
  });

  test('that has waited again hears of the last time', () => {
    const { clock, queue, requeued, askAgain } = watchedPool();
    const heard: unknown[] = [];
    queue.push(() => heard.push(requeued.takeOpeningSince()));
    for (const at of [100, 200, 300]) {
      clock.now = at;
      queue.push(askAgain());
    }
    queue.shift()!(null);
    expect([...heard, requeued.takeOpeningSince()]).toEqual([300, undefined]);
  });
});

test('a pool without a queue to look at has none of them', () => {
  const requeued = new Requeued({} as MysqlPool, () => 0);
  expect([requeued.has(() => {}), requeued.takeOpeningSince()]).toEqual([false, undefined]);
});
