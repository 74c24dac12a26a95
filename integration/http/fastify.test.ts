import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fastifyBackpressure } from 'floodgate/http';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Application,
  describeAdapter,
  expectProblem,
  HEADERS_SET_BEFORE,
  type Library,
  type RunningServer,
} from './support/describe-adapter.js';
import { rejectedCall } from './support/rejected-call.js';
import { send } from './support/send.js';

async function listening(app: FastifyInstance): Promise<RunningServer> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}

function addRoutes(app: FastifyInstance, { calls }: Application) {
  app.route<{ Params: { library: Library } }>({
    method: ['GET', 'POST'],
    url: '/call/:library',
    handler: (request) => calls[request.params.library](),
  });
  app.get('/headers', async (_request, reply) => {
    reply.headers(HEADERS_SET_BEFORE);
    return calls.pg();
  });
  app.get('/sent', async (_request, reply) => {
    reply.raw.write('partial');
    return calls.pg();
  });
  app.get('/boom', async () => {
    throw new Error('boom');
  });
  app.get('/teapot', async () => {
    throw Object.assign(new Error('short and stout'), { statusCode: 418, code: 'TEAPOT' });
  });
}

describeAdapter('Fastify 5', async (application, withAdapter) => {
  const app = Fastify({ forceCloseConnections: true });
  if (withAdapter) await app.register(fastifyBackpressure);
  addRoutes(app, application);
  return listening(app);
});

describeAdapter('Fastify 5, in an encapsulated context', async (application, withAdapter) => {
  const app = Fastify({ forceCloseConnections: true });
  if (withAdapter) await app.register(fastifyBackpressure);
  await app.register(async (context) => {
    await context.register(async (inner) => addRoutes(inner, application));
  });
  return listening(app);
});

describeAdapter('Fastify 5, with routes that were there before', async (application, withAdapter) => {
  const app = Fastify({ forceCloseConnections: true });
  if (withAdapter) app.register(fastifyBackpressure);
  addRoutes(app, application);
  return listening(app);
});

describe('fastifyBackpressure', () => {
  const call = rejectedCall();

  /** An error handler that records what it is given, and answers so that one sees whose answer it is. */
  function recorder(name: string) {
    const seen: unknown[] = [];
    const handler = (error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
      seen.push(error);
      return reply.code(500).send(`${name}: ${error instanceof Error ? error.message : error}`);
    };
    return { seen, handler };
  }

  async function urlOf(app: FastifyInstance): Promise<string> {
    const server = await listening(app);
    onTestFinished(() => server.close());
    return server.url;
  }

  test('leaves other errors to the handler of the context, or of the route; these see no rejection', async () => {
    const [root, context, route] = [recorder('root'), recorder('context'), recorder('route')];
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.setErrorHandler(root.handler);
    app.get('/root/call', () => call());
    app.get('/root/boom', async () => Promise.reject(new Error('1')));
    app.register(async (encapsulated) => {
      encapsulated.setErrorHandler(context.handler);
      encapsulated.get('/context/call', () => call());
      encapsulated.get('/context/boom', async () => Promise.reject(new Error('2')));
      encapsulated.get('/route/call', { errorHandler: route.handler }, () => call());
      encapsulated.get('/route/boom', { errorHandler: route.handler }, async () =>
        Promise.reject(new Error('3')),
      );
    });
    const url = await urlOf(app);
    for (const name of ['root', 'context', 'route']) expectProblem(await send(`${url}/${name}/call`));
    expect((await send(`${url}/root/boom`)).body).toBe('root: 1');
    expect((await send(`${url}/context/boom`)).body).toBe('context: 2');
    expect((await send(`${url}/route/boom`)).body).toBe('route: 3');
    const messages = [root, context, route].map(({ seen }) => seen.map((error) => (error as Error).message));
    expect(messages).toEqual([['1'], ['2'], ['3']]);
  });

  test('answers what comes from hooks, too', async () => {
    const { seen, handler } = recorder('root');
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.setErrorHandler(handler);
    app.get('/request', { onRequest: () => call() }, async () => 'ok');
    app.get('/handler', { preHandler: () => call() }, async () => 'ok');
    app.get('/serialization', { preSerialization: () => call() }, async () => ({ ok: true }));
    const url = await urlOf(app);
    for (const hook of ['request', 'handler', 'serialization']) expectProblem(await send(`${url}/${hook}`));
    expect(seen).toEqual([]);
  });

  test('answers what no route matches, once the handler has seen it', async () => {
    const { seen, handler } = recorder('root');
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.setErrorHandler(handler);
    app.setNotFoundHandler(() => call());
    expectProblem(await send(`${await urlOf(app)}/nowhere`));
    expect(seen).toHaveLength(1);
  });

  test('an answer below 500 of a handler that sees the rejection stands', async () => {
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.setErrorHandler((_error, _request, reply) => reply.code(200).send('from the cache'));
    app.setNotFoundHandler(() => call());
    expect(await send(`${await urlOf(app)}/nowhere`)).toMatchObject({ status: 200, body: 'from the cache' });
  });

  test('an error of that handler is not taken for the rejection; the handler is not asked twice', async () => {
    const seen: string[] = [];
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.setErrorHandler((error) => {
      seen.push((error as Error).message);
      throw new Error('in the handler');
    });
    app.get('/', () => call());
    app.get('/boom', async () => Promise.reject(new Error('boom')));
    const url = await urlOf(app);
    expectProblem(await send(url));
    expect(JSON.parse((await send(`${url}/boom`)).body)).toMatchObject({ message: 'in the handler' });
    expect(seen).toEqual(['boom']);
  });

  test('a rejection after the headers goes to the handler, as without it', async () => {
    const seen: unknown[] = [];
    const answers = [];
    for (const withAdapter of [true, false]) {
      const app = Fastify({ forceCloseConnections: true });
      if (withAdapter) await app.register(fastifyBackpressure);
      app.setErrorHandler((error, _request, reply) => {
        seen.push(error);
        reply.hijack();
        reply.raw.end(' and no more');
      });
      app.get('/', async (_request, reply) => {
        reply.raw.write('partial');
        return call();
      });
      answers.push(await send(await urlOf(app)));
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 200, body: 'partial and no more', complete: true });
    expect(seen).toEqual(new Array(2).fill(expect.objectContaining({ code: 'ERR_BACKPRESSURE' })));
  });

  test('draws one Retry-After for each rejection', async () => {
    let draws = 0;
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure, { random: () => draws++ });
    app.get('/', () => call());
    app.setNotFoundHandler(() => call());
    const url = await urlOf(app);
    await send(url);
    expect(draws).toBe(1);
    await send(`${url}/nowhere`);
    expect(draws).toBe(2);
  });

  test.each([
    ['a string', 'a string'],
    ['null', null],
    ['an object', { statusCode: 409, message: 'conflict' }],
  ])('%s that was thrown is answered as without it', async (_, thrown) => {
    const answers = [];
    for (const withAdapter of [true, false]) {
      for (const withHandler of [true, false]) {
        const app = Fastify({ forceCloseConnections: true });
        if (withAdapter) await app.register(fastifyBackpressure);
        const { handler, seen } = recorder('root');
        if (withHandler) app.setErrorHandler(handler);
        app.get('/', () => Promise.reject(thrown));
        answers.push({ ...(await send(await urlOf(app))), seen });
      }
    }
    expect(answers.slice(0, 2)).toEqual(answers.slice(2));
    expect(answers[0]!.seen).toEqual([thrown]);
  });

  test('a stream that fails before its first byte is answered; later, it ends as without it', async () => {
    const failing = (chunks: string[]) =>
      Readable.from(
        (async function* () {
          yield* chunks;
          await call();
        })(),
      );
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.get('/early', async (_request, reply) => reply.type('text/csv').send(failing([])));
    app.get('/late', async (_request, reply) => reply.type('text/csv').send(failing(['id\n'])));
    const url = await urlOf(app);
    expectProblem(await send(`${url}/early`));
    expect(await send(`${url}/late`)).toMatchObject({ status: 200, body: 'id\n', complete: false });
  });

  test('a reply that was hijacked is left alone', async () => {
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.get('/', async (_request, reply) => {
      reply.hijack();
      reply.raw.end('mine');
      return call();
    });
    expect(await send(await urlOf(app))).toMatchObject({ status: 200, body: 'mine' });
  });

  test('a serializer of the reply does not touch the problem', async () => {
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure);
    app.setReplySerializer((payload) => `serialized ${payload}`);
    app.get('/', (_request, reply) => {
      reply.serializer((payload: unknown) => `serialized ${payload}`);
      return call();
    });
    expectProblem(await send(await urlOf(app)));
  });

  test('registered twice, the nearer one answers', async () => {
    const app = Fastify({ forceCloseConnections: true });
    await app.register(fastifyBackpressure, { title: 'Outer' });
    app.get('/', () => call());
    app.register(
      async (inner) => {
        await inner.register(fastifyBackpressure, { title: 'Inner' });
        inner.get('/', () => call());
      },
      { prefix: '/inner' },
    );
    const url = await urlOf(app);
    expect(JSON.parse((await send(url)).body).title).toBe('Outer');
    expect(JSON.parse((await send(`${url}/inner`)).body).title).toBe('Inner');
  });

  test('takes the options of register beside its own, and refuses others when it is loaded', async () => {
    const app = Fastify();
    await app.register(fastifyBackpressure, { title: 'Busy', prefix: '/x', logLevel: 'warn' });
    expect(app.hasPlugin('floodgate')).toBe(true);
    const wrong = Fastify();
    await expect(wrong.register(fastifyBackpressure, { jiterSeconds: 1 } as object)).rejects.toThrow(
      "unknown fastifyBackpressure option 'jiterSeconds' (did you mean 'jitterSeconds'?)",
    );
  });
});
