import type { Scenario } from '../scenario.js';
import { PostgresTarget } from '../targets/postgres.js';
import { pooled } from '../targets/postgres-workloads.js';

/** Everybody wants the same lock, for 5 ms; who waits for it holds a connection. */
const locking = { name: 'locking', text: 'select pg_advisory_xact_lock(6), pg_sleep(0.005)' };

export const lockStorm: Scenario = {
  key: 'lock-storm',
  title: 'A lock storm',
  async start() {
    const target = await PostgresTarget.start(pooled);
    return {
      target,
      shows:
        'At 1.5x. In the storm every statement wants one lock and holds it for 5 ms: one at a time gets on, and all that waits is in the server.',
      times: 1.5,
      phases: [
        { name: 'before', enter: () => target.ask(pooled.query) },
        { name: 'storm', enter: () => target.ask(() => locking) },
        { name: 'after', enter: () => target.ask(pooled.query), like: 0 },
      ],
      [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
    };
  },
};
