import { PrismaPg } from '@prisma/adapter-pg';
import type { LimitedPool } from 'floodgate/pg';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { onBoth } from './support/on-both.js';

const { url } = inject('postgres');
const plain = (text: string) => ({ sql: text, args: [], argTypes: [] });

describe('@prisma/adapter-pg over a limited pool', () => {
  test('uses that very pool, for queries, statements, scripts and transactions', async () => {
    const result = await onBoth(async (pool: pg.Pool | LimitedPool) => {
      const adapter = await new PrismaPg(pool).connect();
      try {
        const same = adapter.underlyingDriver() === pool;
        const { rows, columnNames } = await adapter.queryRaw({
          sql: 'select $1::int as n',
          args: [7],
          argTypes: [{ scalarType: 'int', arity: 'scalar' }],
        });
        await adapter.executeScript('create temp table a (n int); drop table a;');
        const changed = await adapter.executeRaw(plain('select generate_series(1, 3)'));
        const transaction = await adapter.startTransaction('SERIALIZABLE');
        const level = await transaction.queryRaw(plain('show transaction_isolation'));
        await transaction.commit();
        const undone = await adapter.startTransaction();
        await undone.executeRaw(plain('select 1'));
        await undone.rollback();
        return { same, rows, columnNames, changed, level: level.rows };
      } finally {
        await adapter.dispose();
      }
    });
    expect(result).toEqual({
      same: true,
      rows: [[7]],
      columnNames: ['n'],
      changed: 3,
      level: [['serializable']],
    });
  });

  test('a rejection comes through, of a query and of a transaction', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const adapter = await new PrismaPg(limited.pool).connect();
    const sleep = plain('select 1 as slept from pg_sleep(0.1)');
    expect(await atLimitOne(limited.limiter, () => adapter.queryRaw(sleep))).toEqual(['BackpressureError']);
    const transaction = async () => {
      const opened = await adapter.startTransaction();
      await opened.queryRaw(sleep);
      await opened.commit();
    };
    expect(await atLimitOne(limited.limiter, transaction)).toEqual(['BackpressureError']);
    await adapter.dispose();
  });
});
