import type pg from 'pg';

/** Fills a pool with connections, so that the first calls do not pay for opening them. */
export async function openConnections(pool: pg.Pool, size: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: size }, () => pool.connect()));
  for (const client of clients) client.release();
}
