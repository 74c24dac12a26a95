import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import Router from '@koa/router';
import { koaBackpressure } from 'floodgate/http';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  describeAdapter,
  expectProblem,
  HEADERS_SET_BEFORE,
  type Library,
  listen,
} from './support/describe-adapter.js';
import { rejectedCall } from './support/rejected-call.js';
import { send } from './support/send.js';

describeAdapter('Koa 3', ({ calls }, withAdapter) => {
  const app = new Koa();
  app.silent = true;
  if (withAdapter) app.use(koaBackpressure());
  const router = new Router();
  router.all('/call/:library', async (context) => {
    context.body = await calls[context.params.library as Library]();
  });
  router.get('/headers', async (context) => {
    context.set(HEADERS_SET_BEFORE);
    context.body = await calls.pg();
  });
  router.get('/sent', async (context) => {
    context.status = 200;
    context.res.write('partial');
    // Koa itself leaves such a response open.
    setTimeout(() => context.res.end(), 5);
    context.body = await calls.pg();
  });
  router.get('/boom', () => {
    throw new Error('boom');
  });
  router.get('/teapot', (context) => {
    context.set('X-Kept', 'no');
    context.throw(418, 'short and stout', { headers: { 'X-Teapot': 'yes' } });
  });
  app.use(router.routes());
  return listen(createServer(app.callback()));
});

describe("the application's 'error' event", () => {
  const call = rejectedCall();

  /** An application with one handler, and what it reports. */
  async function reporting(handler: Koa.Middleware) {
    const app = new Koa();
    const reported: unknown[] = [];
    app.on('error', (error) => reported.push(error));
    app.use(koaBackpressure());
    app.use(handler);
    const server = await listen(createServer(app.callback()));
    onTestFinished(() => server.close());
    return { url: server.url, reported };
  }

  test('is not for rejections that were answered', async () => {
    const { url, reported } = await reporting(() => call());
    expectProblem(await send(url));
    expect(reported).toEqual([]);
  });

  test('gets all others, the very same', async () => {
    const boom = new Error('boom');
    const { url, reported } = await reporting(() => {
      throw boom;
    });
    expect(await send(url)).toMatchObject({ status: 500, body: 'Internal Server Error' });
    expect(reported).toEqual([boom]);
    expect(reported[0]).toBe(boom);
  });

  test('gets a status of 4xx chosen by ctx.throw, whatever was its cause', async () => {
    const { url, reported } = await reporting(async (context) => {
      await call().catch((cause) => context.throw(429, 'not so fast', { cause }));
    });
    expect(await send(url)).toMatchObject({ status: 429, body: 'not so fast' });
    expect(reported).toEqual([expect.objectContaining({ message: 'not so fast', expose: true })]);
  });

  test('gets a rejection that came after the headers', async () => {
    const { url, reported } = await reporting(async (context) => {
      context.status = 200;
      context.res.write('partial');
      setTimeout(() => context.res.end(), 5);
      await call();
    });
    expect(await send(url)).toMatchObject({ status: 200, body: 'partial', complete: true });
    expect(reported).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE', headerSent: true })]);
  });

  test('gets a rejection of a handler that answers by itself (ctx.respond = false)', async () => {
    const { url, reported } = await reporting((context) => {
      context.respond = false;
      return call();
    });
    expect(await send(url)).toMatchObject({ status: 503, body: 'Service Unavailable' });
    expect(reported).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE' })]);
  });

  test('gets what fails in a stream given as the body, as Koa has it', async () => {
    const { url, reported } = await reporting((context) => {
      context.body = Readable.from(
        (async function* () {
          yield 'partial';
          await call();
        })(),
      );
    });
    expect(await send(url)).toMatchObject({ status: 200, body: 'partial', complete: false });
    // Once for the stream, once for the response.
    expect([...new Set(reported)]).toEqual([
      expect.objectContaining({ code: 'ERR_BACKPRESSURE', headerSent: true }),
    ]);
  });

  test('an unfinished stream, status and message are replaced', async () => {
    const stream = Readable.from(['never sent']);
    const { url } = await reporting((context) => {
      context.status = 202;
      context.message = 'All Well';
      context.body = stream;
      return call();
    });
    expectProblem(await send(url));
    expect(stream.destroyed).toBe(true);
  });
});

test('wrong options are refused when they are given', () => {
  expect(() => koaBackpressure({ type: 5 } as object)).toThrow(
    'type must be a non-empty string, got 5 (number)',
  );
});
