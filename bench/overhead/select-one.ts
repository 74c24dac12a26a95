import type pg from 'pg';
import type { Work } from './in-turns.js';

/** `select 1`, so many side by side, the next as soon as one ends. */
export function selectOne(pool: pg.Pool, concurrent: number): Work {
  return async (count) => {
    let left = count;
    const one = async () => {
      while (left-- > 0) await pool.query('select 1');
    };
    await Promise.all(Array.from({ length: concurrent }, one));
  };
}
