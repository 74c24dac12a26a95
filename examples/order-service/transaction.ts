import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` in a transaction. Only `connect` can be rejected: the client that it gives has its permit until `release`,
 * and so nothing is rejected in the middle.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
