import { createServer } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { expressBackpressure } from 'floodgate/http';
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

describeAdapter('Express 5', ({ calls }, withAdapter) => {
  const app = express();
  app.all('/call/:library', async (request, response) => {
    response.json(await calls[request.params.library as Library]());
  });
  app.get('/headers', async (_request, response) => {
    response.set(HEADERS_SET_BEFORE);
    response.send(await calls.pg());
  });
  app.get('/sent', async (_request, response) => {
    response.write('partial');
    response.end(await calls.pg());
  });
  app.get('/boom', () => {
    throw new Error('boom');
  });
  app.get('/teapot', () => {
    throw Object.assign(new Error('short and stout'), { status: 418 });
  });
  if (withAdapter) app.use(expressBackpressure());
  return listen(createServer(app));
});

async function urlOf(app: Express): Promise<string> {
  const server = await listen(createServer(app));
  onTestFinished(() => server.close());
  return server.url;
}

describe('with other error middleware', () => {
  const call = rejectedCall();

  /** Tells what it was given, and answers so that one sees it. */
  function recorder() {
    const seen: unknown[] = [];
    const handler: ErrorRequestHandler = (error, _request, response, next) => {
      seen.push(error);
      if (response.headersSent) next(error);
      else response.status(500).send(`recorded ${error instanceof Error ? error.message : error}`);
    };
    return { seen, handler };
  }

  test.each<[string, string, (app: Express) => unknown]>([
    ['a middleware', '/', (app) => app.use(() => call())],
    ['next(error)', '/', (app) => app.get('/', (_request, _response, next) => void call().catch(next))],
    ['a nested router', '/', (app) => app.use(express.Router().get('/', () => call()))],
    ['a parameter', '/1', (app) => app.param('id', () => call()).get('/:id', () => {})],
  ])('answers what comes from %s; the handler after it sees nothing', async (_, path, addTo) => {
    const app = express();
    const { seen, handler } = recorder();
    addTo(app);
    app.use(expressBackpressure(), handler);
    expectProblem(await send(`${await urlOf(app)}${path}`));
    expect(seen).toEqual([]);
  });

  test('hands everything else on to the next one', async () => {
    const app = express();
    const { seen, handler } = recorder();
    const thrown = [new Error('boom'), 'a string', { status: 500 }];
    app.get('/:index', (request) => {
      throw thrown[Number(request.params.index)];
    });
    app.use(expressBackpressure(), handler);
    const url = await urlOf(app);
    for (const index of thrown.keys()) await send(`${url}/${index}`);
    expect(seen).toEqual(thrown);
    expect(seen[0]).toBe(thrown[0]);
  });

  test('hands a rejection on when the response has begun', async () => {
    const app = express();
    const { seen, handler } = recorder();
    app.get('/', async (_request, response) => {
      response.write('partial');
      await call();
    });
    app.use(expressBackpressure(), handler);
    expect(await send(await urlOf(app))).toMatchObject({ status: 200, body: 'partial', complete: false });
    expect(seen).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE' })]);
  });

  test('twice in a row answers once', async () => {
    const app = express();
    app.get('/', () => call());
    app.use(expressBackpressure({ title: 'First' }), expressBackpressure({ title: 'Second' }));
    const { body } = await send(await urlOf(app));
    expect(JSON.parse(body)).toMatchObject({ title: 'First', status: 503 });
  });
});

test('wrong options are refused when they are given', () => {
  expect(() => expressBackpressure({ jitterSeconds: -1 })).toThrow(RangeError);
  expect(() => expressBackpressure({ acccept: '' } as object)).toThrow(
    "unknown expressBackpressure option 'acccept'",
  );
});
