import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { RequestHandler } from 'express';
import { Hono } from 'hono';
import { describe, expectTypeOf, test } from 'vitest';
import { Limiter } from '../adaptive/limiter.js';
import { Limiter as CoreLimiter } from '../core/limiter.js';
import { Health, type HealthAnswer } from './index.js';

const limiter = new Limiter();

describe('Health', () => {
  test('takes limiters, and whatever has one', () => {
    new Health({ required: { a: limiter, b: { limiter } }, optional: { c: new CoreLimiter() } });
    // @ts-expect-error: a name is no limiter
    new Health({ required: { a: 'pg' } });
    // @ts-expect-error: of what?
    new Health();
    // @ts-expect-error: there are two policies
    new Health({ commonFailure: 'hope' });
  });

  test('answers with status, headers and body', () => {
    expectTypeOf(new Health({ required: {} }).readyz()).toEqualTypeOf<HealthAnswer>();
    expectTypeOf(new Health({ required: {} }).livez()).toEqualTypeOf<HealthAnswer>();
    const answer = new Health({ required: {} }).readyz();
    new Response(answer.body, answer);
    new Hono().get('/readyz', (context) => context.body(answer.body, answer.status, answer.headers));
    expectTypeOf(new Health({ required: {} }).report().status).toEqualTypeOf<
      'ready' | 'degraded' | 'not-ready'
    >();
  });

  test('has a handler for node:http, node:http2 and Express', () => {
    const { handler } = new Health({ required: {} });
    expectTypeOf(handler).toExtend<RequestListener>();
    expectTypeOf(handler).toExtend<RequestHandler>();
    expectTypeOf(handler).toBeCallableWith({} as IncomingMessage, {} as ServerResponse);
    expectTypeOf(handler).toBeCallableWith({} as Http2ServerRequest, {} as Http2ServerResponse);
  });
});
