import type { Operator } from '../support/faults.js';

/** What a call is to do, in the words of each kind of call. */
export interface Work {
  readonly sql: string;
  readonly copyFrom: { readonly sql: string; readonly data: string };
}

/** Three rows. */
export const rows: Work = {
  sql: 'select n from generate_series(1, 3) as n',
  copyFrom: { sql: 'copy floodgate_numbers from stdin', data: '1\n2\n3\n' },
};

/** Far more rows than fit into the buffers between the server and a reader. */
export const manyRows: Work = {
  sql: `select n, repeat('x', 1000) from generate_series(1, 100000) as n`,
  copyFrom: rows.copyFrom,
};

/** 22012 (division by zero) on the second row; 22P02 (no number) for COPY FROM. */
export const sqlError: Work = {
  sql: 'select 1 / (2 - n) from generate_series(1, 3) as n',
  copyFrom: { sql: 'copy floodgate_numbers from stdin', data: '1\nnot a number\n' },
};

/** Sleeps at the server. */
export function sleeping(seconds: number): Work {
  return {
    sql: `select pg_sleep(${seconds})`,
    copyFrom: { sql: 'copy floodgate_naps from stdin', data: `${seconds}\n` },
  };
}

/** Leaves a trace where it ran: see {@link marksLeft}. */
export const marking: Work = {
  sql: `select nextval('floodgate_marks')`,
  copyFrom: rows.copyFrom,
};

/** A sequence, since it keeps its trace when a transaction is rolled back. */
export async function prepareTables(operator: Operator): Promise<void> {
  await operator.execute(`
    drop table if exists floodgate_numbers, floodgate_naps;
    drop sequence if exists floodgate_marks;
    create table floodgate_numbers (n int);
    create table floodgate_naps (seconds float8 check (pg_sleep(seconds)::text is not null));
    create sequence floodgate_marks`);
}

export async function clearMarks(operator: Operator): Promise<void> {
  await operator.execute(`truncate floodgate_numbers; select setval('floodgate_marks', 1, false)`);
}

/** How many traces of {@link marking} there are. */
export async function marksLeft(operator: Operator): Promise<number> {
  const [marks] = await operator.column<number>(
    'select (select count(*) from floodgate_numbers)::int + is_called::int from floodgate_marks',
  );
  return marks!;
}
