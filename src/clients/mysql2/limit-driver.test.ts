import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { describe, expect, test } from 'vitest';
import { LimitedMysql, limitDriver } from './index.js';

// A class that the module has and its types don't show.
const { Pool } = mysql as unknown as Record<string, new () => unknown>;
const NOWHERE = { host: '127.0.0.1', port: 1 };

describe('limitDriver', () => {
  test('limits what the module makes, all by one limiter, and keeps the rest', () => {
    const driver = limitDriver(mysql, { maxConcurrentOps: 7 });
    const pool = driver.createPool(NOWHERE);
    const connection = driver.createConnection(NOWHERE);
    connection.on('error', () => {});
    expect(
      [pool, connection, driver.createPoolCluster()].map((client) => client instanceof LimitedMysql),
    ).toEqual([true, true, true]);
    expect((pool as LimitedMysql).limiter).toBe(driver.limiter);
    expect(driver.limiter.limit).toBe(7);
    expect(driver.createPool).toBe(driver.createPool);
    expect([driver.createPool.name, driver.createPool.length]).toEqual([
      mysql.createPool.name,
      mysql.createPool.length,
    ]);
    expect(driver.format).toBe(mysql.format);
    // As old code does it, and mysql2 lets it.
    expect(new (driver.createPool as unknown as new (config: object) => unknown)(NOWHERE)).toBeInstanceOf(
      LimitedMysql,
    );
    expect('Pool' in driver && driver.Pool).toBe(Pool);
    expect(mysql.createPool(NOWHERE)).not.toBeInstanceOf(LimitedMysql);
  });

  test('works for the promise module', async () => {
    const driver = limitDriver(promises);
    expect(driver.createPool(NOWHERE)).toBeInstanceOf(LimitedMysql);
    await expect(driver.createConnection(NOWHERE)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('refuses what is no such module, and options that are no good', () => {
    expect(() => limitDriver({})).toThrow(
      'floodgate: the driver must be the module mysql2 or mysql2/promise, got an object (Object)',
    );
    expect(() => limitDriver(mysql, { max: 5 } as never)).toThrow("unknown limitDriver option 'max'");
    expect(() => limitDriver(mysql, { connectionLimit: 5 } as never)).toThrow(
      /; mysql2's own configuration goes to the functions of the driver that comes back$/,
    );
    expect(() => limitDriver(mysql).createPool(undefined as never)).toThrow(
      "floodgate: mysql2's configuration for createPool must be an object or an address, got undefined",
    );
  });

  test('twice gives the same module, and with another limit is an error', () => {
    for (const module of [mysql, promises, { ...mysql }]) {
      const driver = limitDriver(module, { maxConcurrentOps: 7 });
      expect(limitDriver(driver)).toBe(driver);
      expect(limitDriver(driver, { maxConcurrentOps: 7 })).toBe(driver);
      expect(limitDriver(driver, { limiter: driver.limiter })).toBe(driver);
      expect(() => limitDriver(driver, { maxConcurrentOps: 8 })).toThrow(
        "floodgate: maxConcurrentOps must be the same for a client that is wrapped already (by limitDriver), got 8 (number): its limiter is 'mysql2', with maxConcurrentOps 7",
      );
      expect(() => limitDriver(driver, { maxCheckoutMs: 5 })).toThrow('maxCheckoutMs must be the same');
      expect(limitDriver(module).limiter).not.toBe(driver.limiter);
    }
  });
});
