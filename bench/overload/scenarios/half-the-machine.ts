import { burner, onOneCore } from '../one-core.js';
import type { Scenario } from '../scenario.js';
import { PostgresTarget } from '../targets/postgres.js';
import { computing } from '../targets/postgres-workloads.js';

export const halfTheMachine: Scenario = {
  key: 'half-the-machine',
  title: 'Half the machine is taken',
  async start() {
    const target = await onOneCore(() => PostgresTarget.start(computing));
    const neighbour = burner();
    return {
      target,
      shows:
        'At 1.5x, with PostgreSQL and all its processes on one core. Then a program that computes takes half of that core.',
      times: 1.5,
      phases: [
        { name: 'alone', enter: neighbour.stop },
        { name: 'beside', enter: neighbour.start },
        { name: 'alone again', enter: neighbour.stop, like: 0 },
      ],
      async [Symbol.asyncDispose]() {
        await neighbour.stop();
        await target[Symbol.asyncDispose]();
      },
    };
  },
};
