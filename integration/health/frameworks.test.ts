import { createServer, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Limiter } from 'floodgate';
import { Health } from 'floodgate/health';
import Koa from 'koa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let limiter: Limiter;
let health: Health;
let server: Server | undefined;

beforeEach(() => {
  limiter = new Limiter({ name: 'orders', maxConcurrentOps: 1 });
  // Full: what goes through it is rejected.
  limiter.acquire();
  health = new Health({ required: { orders: limiter } });
});
afterEach(() => {
  health.close();
  server?.closeAllConnections();
  server?.close();
});

async function listen(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function ask(url: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { method }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, headers: response.headers, body });
    })
      .on('error', reject)
      .end();
  });
}

const READY = '{"status":"ready","dependencies":{"orders":{"status":"up","required":true}}}';

/** The one line that each needs, and a route of the application's own beside it. */
const frameworks: readonly (readonly [string, () => RequestListener | Promise<RequestListener>])[] = [
  [
    'node:http',
    () => (request, response) => {
      if (health.handler(request, response)) return;
      response.end('orders');
    },
  ],
  [
    'Express',
    () => {
      const app = express();
      app.use(health.handler);
      app.get('/orders', (_, response) => void response.end('orders'));
      return app;
    },
  ],
  [
    'Fastify, by a route',
    async () => {
      const app = fastify();
      for (const name of ['livez', 'readyz'] as const) {
        app.get(`/${name}`, (_, reply) => {
          const { status, headers, body } = health[name]();
          return reply.code(status).headers(headers).send(body);
        });
      }
      app.get('/orders', () => 'orders');
      await app.ready();
      return app.routing as RequestListener;
    },
  ],
  [
    'Fastify, by a hook',
    async () => {
      const app = fastify();
      app.addHook('onRequest', async (request, reply) => {
        if (health.handler(request.raw, reply.raw)) reply.hijack();
      });
      app.get('/orders', () => 'orders');
      await app.ready();
      return app.routing as RequestListener;
    },
  ],
  [
    'Koa, by the answer',
    () => {
      const app = new Koa();
      app.use((context, next) => {
        const name = context.path.slice(1);
        if (name !== 'livez' && name !== 'readyz') return next();
        const { status, headers, body } = health[name]();
        context.status = status;
        context.set(headers);
        context.body = body;
      });
      app.use((context) => {
        context.body = 'orders';
      });
      return app.callback();
    },
  ],
  [
    'Koa, by the handler',
    () => {
      const app = new Koa();
      app.use((context, next) => {
        if (!health.handler(context.req, context.res)) return next();
        context.respond = false;
      });
      app.use((context) => {
        context.body = 'orders';
      });
      return app.callback();
    },
  ],
];

describe.each(frameworks)('over %s', (_, make) => {
  test('both questions are answered beside a full limiter, by GET and by HEAD', async () => {
    const address = await listen(await make());
    const ready = await ask(`${address}/readyz`);
    expect(ready).toMatchObject({ status: 200, body: READY });
    expect(ready.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(READY.length),
    });
    expect(await ask(`${address}/livez?verbose`)).toMatchObject({ status: 200, body: '{"status":"live"}' });
    const head = await ask(`${address}/readyz`, 'HEAD');
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(String(READY.length));
    expect(limiter.stats()).toMatchObject({ admitted: 1, rejected: 0 });
  });

  test('a shutdown makes unready, and not dead; other paths stay the application’s', async () => {
    const address = await listen(await make());
    health.beginShutdown();
    const { status, body } = await ask(`${address}/readyz`);
    expect([status, JSON.parse(body)]).toEqual([
      503,
      expect.objectContaining({ status: 'not-ready', reason: 'shutting down' }),
    ]);
    expect((await ask(`${address}/readyz`, 'HEAD')).status).toBe(503);
    expect((await ask(`${address}/livez`)).status).toBe(200);
    expect(await ask(`${address}/orders`)).toMatchObject({ status: 200, body: 'orders' });
  });
});

describe('the handler', () => {
  test('takes no other method', async () => {
    const address = await listen((request, response) => void health.handler(request, response));
    const answer = await ask(`${address}/readyz`, 'POST');
    expect([answer.status, answer.headers.allow, answer.body]).toEqual([405, 'GET, HEAD', '']);
  });

  test('leaves a response alone that has been begun', async () => {
    const address = await listen((request, response) => {
      response.writeHead(200);
      response.write('begun, ');
      expect(health.handler(request, response)).toBe(true);
      response.end('ended');
    });
    expect(await ask(`${address}/readyz`)).toMatchObject({ status: 200, body: 'begun, ended' });
  });

  test.each(['/', '/readyz/', '/readyzz', '/healthz', '/__proto__', '/toString'])(
    'leaves %s to others',
    async (path) => {
      const address = await listen((request, response) => {
        if (!health.handler(request, response)) response.writeHead(404).end();
      });
      expect((await ask(`${address}${path}`)).status).toBe(404);
    },
  );
});
