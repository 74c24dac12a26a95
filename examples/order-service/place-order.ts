import { RetryBudget, retry } from 'floodgate/retry';
import type { Pool } from 'pg';
import { inTransaction } from './transaction.js';

export interface NewOrder {
  readonly customer: string;
  readonly product: number;
  readonly quantity: number;
}

/** One for everybody who writes to this database: retries are 10 % of the calls at most, and one a second. */
const budget = new RetryBudget();

/**
 * Takes the goods out of the stock and notes the order. A buyer is worth a wait: what is rejected is tried again, as a
 * whole, for up to 3 s. Readers are not; they are told when to come back.
 *
 * @param signal ends the waiting when the buyer has gone
 * @returns its number; `undefined` if there is not enough in stock
 */
export function placeOrder(pool: Pool, order: NewOrder, signal: AbortSignal): Promise<number | undefined> {
  return retry(() => place(pool, order), { budget, maxElapsedMs: 3_000, signal });
}

function place(pool: Pool, { customer, product, quantity }: NewOrder): Promise<number | undefined> {
  return inTransaction(pool, async (client) => {
    const taken = await client.query('update products set stock = stock - $2 where id = $1 and stock >= $2', [
      product,
      quantity,
    ]);
    if (taken.rowCount === 0) return undefined;
    const { rows } = await client.query<{ id: number }>(
      'insert into orders (customer, product, quantity) values ($1, $2, $3) returning id',
      [customer, product, quantity],
    );
    return rows[0]?.id;
  });
}
