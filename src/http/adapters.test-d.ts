import { createServer } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { Catch, type ExceptionFilter, type INestApplication } from '@nestjs/common';
import express, { type ErrorRequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expectTypeOf, test } from 'vitest';
import {
  expressBackpressure,
  fastifyBackpressure,
  honoBackpressure,
  koaBackpressure,
  nestBackpressure,
  nodeBackpressure,
  toHttpResponse,
} from './index.js';

describe('each adapter is what its framework takes', () => {
  test('Express', () => {
    express().use(expressBackpressure({ jitterSeconds: 3 }));
    expectTypeOf(expressBackpressure()).toExtend<ErrorRequestHandler>();
  });

  test('Fastify', () => {
    fastify().register(fastifyBackpressure);
    fastify({ logger: true }).register(fastifyBackpressure, { jitterSeconds: 3, logLevel: 'warn' });
    fastify({ http2: true }).register(fastifyBackpressure);
    // @ts-expect-error an unknown option
    fastify().register(fastifyBackpressure, { jitter: 3 });
  });

  test('Koa', () => {
    new Koa().use(koaBackpressure());
    new Koa<{ user: string }, { log: Console }>().use(koaBackpressure());
  });

  test('Hono', () => {
    const app = new Hono<{ Variables: { user: string } }>();
    app.onError(honoBackpressure());
    app.onError(
      honoBackpressure({
        onError: (error, context) => {
          expectTypeOf(error).toEqualTypeOf<Error>();
          expectTypeOf(context.get('user')).toEqualTypeOf<string>();
          return context.json({ error: error.message }, 500);
        },
      }),
    );
    const handler = honoBackpressure();
    app.onError(handler);
    app.route('/api', new Hono().onError(handler));
  });

  test('Nest', () => {
    expectTypeOf(nestBackpressure(Catch)).toExtend<ExceptionFilter>();
    const register = (app: INestApplication) =>
      app.useGlobalFilters(nestBackpressure(Catch, { title: 'Busy' }));
    expectTypeOf(register).toBeFunction();
    // @ts-expect-error without Catch
    nestBackpressure({ title: 'Busy' });
  });

  test('node:http and node:http2', () => {
    createServer(nodeBackpressure(async (request, response) => response.end(request.url)));
    createServer(
      nodeBackpressure((request, response) => response.end(request.headers.host), { title: 'Busy' }),
    );
    createHttp2Server(
      nodeBackpressure((request: Http2ServerRequest, response: Http2ServerResponse) =>
        response.end(String(request.stream.id)),
      ),
    );
    // @ts-expect-error a handler comes first
    nodeBackpressure({ title: 'Busy' });
  });
});

test('the response fits those of others', () => {
  const answer = toHttpResponse(new Error('x'), { accept: new Headers().get('accept'), expose: ['reason'] });
  if (answer === undefined) return;
  expectTypeOf(answer.status).toEqualTypeOf<503>();
  expectTypeOf(answer.headers['Retry-After']).toEqualTypeOf<string>();
  new Response(answer.body, answer);
  createServer((_request, response) => response.writeHead(answer.status, answer.headers).end(answer.body));
  // @ts-expect-error messages are not for callers
  toHttpResponse(new Error('x'), { expose: ['message'] });
});
