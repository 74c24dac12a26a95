import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { honoBackpressure } from 'floodgate/http';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { stream } from 'hono/streaming';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  describeAdapter,
  expectProblem,
  HEADERS_SET_BEFORE,
  type Library,
  listen,
} from './support/describe-adapter.js';
import { rejectedCall } from './support/rejected-call.js';
import type { Received } from './support/send.js';

/** Hono reports what it has no handler for. */
const reported: unknown[] = [];
beforeEach(() => {
  reported.length = 0;
  vi.spyOn(console, 'error').mockImplementation((error) => void reported.push(error));
});
afterEach(() => vi.restoreAllMocks());

describeAdapter('Hono', ({ calls }, withAdapter) => {
  const app = new Hono();
  if (withAdapter) app.onError(honoBackpressure());
  app.all('/call/:library', async (context) => {
    const rows = await calls[context.req.param('library') as Library]();
    return context.body(JSON.stringify(rows), 200, { 'Content-Type': 'application/json' });
  });
  app.use('/headers', async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS_SET_BEFORE)) context.header(name, value);
    await next();
  });
  app.get('/headers', async (context) => context.json(await calls.pg()));
  app.get('/sent', (context) =>
    stream(context, async (body) => {
      await body.write('partial');
      await calls.pg();
    }),
  );
  app.get('/boom', () => {
    throw new Error('boom');
  });
  app.get('/teapot', (context) => {
    context.header('X-Kept', 'yes');
    throw new HTTPException(418, {
      res: new Response('short and stout', { status: 418, headers: { 'X-Teapot': 'yes' } }),
    });
  });
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
});

/** What a client would see of a response that was made in this process. */
async function received(response: Response): Promise<Received> {
  const body = await response.text();
  // A server adds it.
  const headers = {
    ...Object.fromEntries(response.headers),
    'content-length': String(Buffer.byteLength(body)),
  };
  return { status: response.status, headers, body, complete: true };
}

describe('honoBackpressure', () => {
  const call = rejectedCall();

  test('leaves all other errors to the handler it was given, which sees no rejection', async () => {
    const seen: unknown[] = [];
    const app = new Hono<{ Variables: { user: string } }>();
    app.use(async (context, next) => {
      context.set('user', 'Ada');
      await next();
    });
    app.onError(
      honoBackpressure({
        jitterSeconds: 0,
        onError: (error, context) => {
          seen.push(error);
          return context.text(`sorry, ${context.get('user')}`, 500);
        },
      }),
    );
    app.get('/call', () => call());
    app.get('/boom', () => {
      throw new Error('boom');
    });
    const boom = await app.request('/boom');
    expect([boom.status, await boom.text()]).toEqual([500, 'sorry, Ada']);
    expectProblem(await received(await app.request('/call')), { 'retry-after': '1' });
    expect(seen).toEqual([expect.objectContaining({ message: 'boom' })]);
    expect(reported).toEqual([]);
  });

  test('reports an error as Hono does when it has no handler to leave it to', async () => {
    const boom = new Error('boom');
    const fail = () => {
      throw boom;
    };
    const bare = await received(await new Hono().get('/', fail).request('/'));
    const adapted = await received(await new Hono().onError(honoBackpressure()).get('/', fail).request('/'));
    expect(adapted).toEqual(bare);
    expect(reported).toEqual([boom, boom]);
  });

  test('lets what is no error pass by, as Hono does', async () => {
    const app = new Hono().onError(honoBackpressure()).get('/', () => Promise.reject('a string'));
    await expect(app.request('/')).rejects.toBe('a string');
  });

  test('answers for mounted apps, unless they have a handler of their own', async () => {
    const app = new Hono().onError(honoBackpressure());
    app.route(
      '/plain',
      new Hono().get('/', () => call()),
    );
    app.route(
      '/own',
      new Hono().onError((_error, context) => context.text('own', 500)).get('/', () => call()),
    );
    const both = new Hono().onError(
      honoBackpressure({ onError: (_error, context) => context.text('own', 500) }),
    );
    app.route(
      '/both',
      both.get('/', () => call()),
    );
    expectProblem(await received(await app.request('/plain')));
    expect(await (await app.request('/own')).text()).toBe('own');
    expectProblem(await received(await app.request('/both')));
  });

  test('replaces a response that was made, but not sent, before a middleware failed', async () => {
    const app = new Hono().onError(honoBackpressure());
    app.use(async (_context, next) => {
      await next();
      await call();
    });
    app.get('/made', (context) => {
      context.header('Set-Cookie', 'a=1', { append: true });
      return context.body('<p>', 200, {
        'Content-Type': 'text/html',
        ETag: '"1"',
        'Cache-Control': 'public',
      });
    });
    app.get('/immutable', () => Response.redirect('https://example.org/', 302));
    expectProblem(await received(await app.request('/made')), { 'set-cookie': 'a=1' });
    const { status, headers } = await app.request('/immutable');
    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[123]$/)]);
  });

  test('a rejection in a stream goes to the handler of that stream', async () => {
    const seen: unknown[] = [];
    const app = new Hono().onError(honoBackpressure()).get('/', (context) =>
      stream(
        context,
        async (body) => {
          await body.write('partial');
          await call();
        },
        async (error) => void seen.push(error),
      ),
    );
    const response = await app.request('/');
    expect([response.status, await response.text()]).toEqual([200, 'partial']);
    expect(seen).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE' })]);
  });

  test('refuses wrong options when they are given', () => {
    expect(() => honoBackpressure({ onError: 'log' } as object)).toThrow(
      "onError must be a function, got 'log' (string)",
    );
    expect(() => honoBackpressure({ onErr: () => {} } as object)).toThrow(
      "unknown honoBackpressure option 'onErr'",
    );
  });
});
