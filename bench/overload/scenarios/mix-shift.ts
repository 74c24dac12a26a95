import { workload } from '../../demo/workload.js';
import type { Scenario } from '../scenario.js';
import { PostgresTarget } from '../targets/postgres.js';
import { pooled } from '../targets/postgres-workloads.js';

const heavy = { name: 'heavy', text: 'select pg_sleep(0.1)' };

export const mixShift: Scenario = {
  key: 'mix-shift',
  title: 'The mix of queries shifts',
  async start() {
    const target = await PostgresTarget.start(pooled);
    let count = 0;
    return {
      target,
      shows:
        'At 1.5x. Every third statement takes 100 ms instead of 20: less gets done, by the same limit. Nothing is to be cut.',
      times: 1.5,
      phases: [
        { name: 'cheap', enter: () => target.ask(pooled.query) },
        {
          name: 'heavier',
          enter: () => target.ask(() => (count++ % 3 === 0 ? heavy : workload.query)),
        },
      ],
      [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
    };
  },
};
