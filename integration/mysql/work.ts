/** What a call is to do. */
export interface Work {
  readonly sql: string;
  /** mysql2's own, in milliseconds. */
  readonly timeout?: number;
}

/** Three rows. */
export const rows: Work = { sql: 'select n from numbers' };
export const oneRow: Work = { sql: 'select n from numbers where n = 1' };

/** Far more rows than fit into the buffers between the server and a reader. */
export const manyRows: Work = {
  sql: `with recursive series(n) as (select 1 union all select n + 1 from series where n < 900)
    select a.n, repeat('x', 1000) from series a, series b limit 50000`,
};

/** 1242, once it is executed: a subquery with three rows. */
export const sqlError: Work = { sql: 'select (select n from numbers)' };

/** Sleeps at the server; a `KILL QUERY` makes it an error, which a plain `select sleep()` need not be. */
export function sleeping(seconds: number, timeout?: number): Work {
  const sql = `select n, sleep(${seconds}) from numbers where n = 1`;
  return timeout === undefined ? { sql } : { sql, timeout };
}

/** Leaves a trace where it ran, in the table `marks`. */
export const marking: Work = { sql: 'insert into marks values (1)' };
