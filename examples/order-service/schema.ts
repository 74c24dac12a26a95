import type { Pool } from 'pg';

/*
 * One string of several statements is one transaction. The lock makes instances that start together wait for each other.
 * 100,000 orders wait to be packed, which makes counting them the slow query that every service has.
 */
const SCHEMA = `
  select pg_advisory_xact_lock(2743);

  create table if not exists products (
    id integer primary key,
    stock integer not null
  );
  create table if not exists orders (
    id integer generated always as identity primary key,
    customer text not null,
    product integer not null references products,
    quantity integer not null,
    placed_at timestamptz not null default now(),
    packed_at timestamptz
  );

  insert into products select n, 1000000 from generate_series(1, 100) as n
    on conflict do nothing;
  insert into orders (customer, product, quantity, placed_at)
    select 'customer ' || n % 997, 1 + n % 100, 1 + n % 3, now() - n * interval '1 second'
    from generate_series(1, 100000) as n
    where not exists (select from orders);
`;

/** Tables and some content, unless they are there. */
export async function createSchema(pool: Pool): Promise<void> {
  await pool.query(SCHEMA);
}
