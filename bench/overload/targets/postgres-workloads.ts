import { workload } from '../../demo/workload.js';
import type { PostgresWorkload } from './postgres.js';

/** The demo's: bound by the connections of the pool, and by nothing that the machine's other work could take away. */
export const pooled: PostgresWorkload = {
  key: 'postgres',
  title: '',
  bound: `a pool of ${workload.poolSize} connections, a statement of 20 ms (a little work and \`pg_sleep\`); what is above ${workload.poolSize} waits for a connection`,
  connections: workload.poolSize,
  callers: workload.poolSize,
  query: () => workload.query,
};

/** Bound by the processor: all connections share one core. */
export const computing: PostgresWorkload = {
  key: 'postgres-cpu',
  title: ', on one core',
  bound: 'a pool of 40 connections, a statement of some 2 ms of plain work; they all share one core',
  connections: 40,
  callers: 4,
  query: () => ({ name: 'work', text: 'select sum(n) from generate_series(1, 15000) as n' }),
};
