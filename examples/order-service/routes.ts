import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { clientGone } from './client-gone.js';
import type { Orders } from './orders.js';
import { type NewOrder, placeOrder } from './place-order.js';

const integer = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };
const params = { type: 'object', properties: { id: integer } };
const body = {
  type: 'object',
  required: ['customer', 'product', 'quantity'],
  properties: { customer: { type: 'string', minLength: 1 }, product: integer, quantity: integer },
};

/** No word of overload in here: `fastifyBackpressure` answers what is rejected. */
export function addRoutes(app: FastifyInstance, orders: Orders, pool: Pool): void {
  app.get<{ Params: { id: number } }>('/orders/:id', { schema: { params } }, async (request, reply) => {
    const order = await orders.view(request.params.id);
    return order ?? reply.code(404).send({ error: 'no such order' });
  });

  app.post<{ Body: NewOrder }>('/orders', { schema: { body } }, async (request, reply) => {
    const id = await placeOrder(pool, request.body, clientGone(reply));
    if (id === undefined) return reply.code(409).send({ error: 'not enough in stock' });
    return reply.code(201).header('location', `/orders/${id}`).send({ id });
  });
}
