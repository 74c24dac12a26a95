import type { Scenario } from '../scenario.js';
import { type RedisWorkload, redisTarget } from '../targets/redis.js';

const AT_ONCE = 30;

const requests: RedisWorkload = {
  title: ', requests of 30 commands',
  bound: `one connection, ${AT_ONCE} times \`DEBUG SLEEP 0.0002\` at once: a request holds Redis' only thread for some 8 ms, and needs all`,
  callers: 4,
  operationsPerCall: AT_ONCE,
  call: (redis) => Promise.all(Array.from({ length: AT_ONCE }, () => redis.call('DEBUG', 'SLEEP', '0.0002'))),
};

/** A request that loses one of its operations is lost whole, for any contender. */
export const fanOut: Scenario = {
  key: 'fan-out',
  title: 'Requests send many commands at once',
  async start() {
    const target = await redisTarget(requests);
    return {
      target,
      shows: `At 0.5x. One command refused is a request lost: ${target.bound}.`,
      times: 0.5,
      phases: [{ name: 'requests', enter: () => {} }],
      [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
    };
  },
};
