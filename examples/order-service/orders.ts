import type { Pool } from 'pg';
import type { OrderCache } from './order-cache.js';

export interface Order {
  readonly id: number;
  readonly customer: string;
  readonly product: number;
  readonly quantity: number;
  /** ISO 8601. */
  readonly placedAt: string;
}

/** An order as its buyer sees it. */
export interface OrderView extends Order {
  /** Orders that the warehouse packs before this one. */
  readonly ahead: number;
}

const BY_ID = 'select id, customer, product, quantity, placed_at as "placedAt" from orders where id = $1';
const AHEAD = 'select count(*)::int as ahead from orders where packed_at is null and placed_at < $1';

/** Reads orders. An order never changes, so it may come from the cache; its place in the queue is always asked. */
export class Orders {
  readonly #pool: Pool;
  readonly #cache: OrderCache;

  constructor(pool: Pool, cache: OrderCache) {
    this.#pool = pool;
    this.#cache = cache;
  }

  /** `undefined` if there is none. Rejects with a `BackpressureError` when the database has enough to do. */
  async view(id: number): Promise<OrderView | undefined> {
    const order = (await this.#cache.get(id)) ?? (await this.#load(id));
    if (order === undefined) return undefined;
    const { rows } = await this.#pool.query<{ ahead: number }>(AHEAD, [order.placedAt]);
    return { ...order, ahead: rows[0]?.ahead ?? 0 };
  }

  async #load(id: number): Promise<Order | undefined> {
    const { rows } = await this.#pool.query<Order & { placedAt: Date }>(BY_ID, [id]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const order = { ...row, placedAt: row.placedAt.toISOString() };
    await this.#cache.set(order);
    return order;
  }
}
