import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  All,
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  type INestApplication,
  Module,
  Param,
  Res,
  type Type,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Response } from 'express';
import Fastify from 'fastify';
import { nestBackpressure } from 'floodgate/http';
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

/** Decorates a method as `@Get(path)` would; TypeScript only erases types here. */
function route(target: Type, method: string, ...decorators: MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, method)!;
  for (const decorate of decorators) decorate(target.prototype, method, descriptor);
}

function controllerOf({ calls }: Application): Type {
  class Orders {
    call(library: Library) {
      return calls[library]();
    }
    async headers(response: Response) {
      response.set(HEADERS_SET_BEFORE);
      response.send(await calls.pg());
    }
    async sent(response: Response) {
      response.write('partial');
      response.end(await calls.pg());
    }
    boom() {
      throw new Error('boom');
    }
    teapot() {
      throw new HttpException('short and stout', 418);
    }
  }
  Controller()(Orders);
  route(Orders, 'call', All('/call/:library'));
  Param('library')(Orders.prototype, 'call', 0);
  for (const name of ['headers', 'sent'] as const) {
    route(Orders, name, Get(name));
    Res()(Orders.prototype, name, 0);
  }
  for (const name of ['boom', 'teapot'] as const) route(Orders, name, Get(name));
  return Orders;
}

async function create(controllers: Type[], providers: object[] = []): Promise<INestApplication> {
  class Root {}
  Module({ controllers, providers: providers as never[] })(Root);
  return NestFactory.create(Root, { logger: false, forceCloseConnections: true });
}

async function listening(app: INestApplication): Promise<RunningServer> {
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
}

describeAdapter('Nest 12 on Express', async (application, withAdapter) => {
  const app = await create([controllerOf(application)]);
  if (withAdapter) app.useGlobalFilters(nestBackpressure(Catch));
  return listening(app);
});

describe('nestBackpressure', () => {
  const call = rejectedCall();

  /** A controller with one route for each of these. */
  function controllerThat(routes: Record<string, () => unknown>): Type {
    class Routes {}
    Object.assign(Routes.prototype, routes);
    Controller()(Routes);
    for (const name of Object.keys(routes)) route(Routes, name, Get(name));
    return Routes;
  }

  /** A filter that records what it is given. */
  function recorder(...types: Type[]) {
    const seen: unknown[] = [];
    class Recorder implements ExceptionFilter {
      catch(exception: unknown, host: ArgumentsHost) {
        seen.push(exception);
        host.switchToHttp().getResponse<Response>().status(500).send('recorded');
      }
    }
    Catch(...types)(Recorder);
    return { seen, filter: new Recorder() };
  }

  async function urlOf(app: INestApplication): Promise<string> {
    const server = await listening(app);
    onTestFinished(() => server.close());
    return server.url;
  }

  test('leaves all others to the filters that are there, which see no rejection', async () => {
    const boom = new Error('boom');
    const Routes = controllerThat({
      call,
      boom: () => {
        throw boom;
      },
    });
    const app = await create([Routes]);
    const { seen, filter } = recorder();
    // The last one is asked first.
    app.useGlobalFilters(filter, nestBackpressure(Catch));
    const url = await urlOf(app);
    expectProblem(await send(`${url}/call`));
    expect(await send(`${url}/boom`)).toMatchObject({ status: 500, body: 'recorded' });
    expect(seen).toEqual([boom]);
    expect(seen[0]).toBe(boom);
  });

  test('works as a provider of APP_FILTER', async () => {
    const filter = { provide: APP_FILTER, useFactory: () => nestBackpressure(Catch, { title: 'Busy' }) };
    const url = await urlOf(await create([controllerThat({ call })], [filter]));
    expect(JSON.parse((await send(`${url}/call`)).body)).toMatchObject({ title: 'Busy', status: 503 });
  });

  test('works for one controller, before the filters of the application', async () => {
    const Routes = controllerThat({ call });
    UseFilters(nestBackpressure(Catch))(Routes);
    const app = await create([Routes]);
    const { seen, filter } = recorder();
    app.useGlobalFilters(filter);
    expectProblem(await send(`${await urlOf(app)}/call`));
    expect(seen).toEqual([]);
  });

  test('answers what comes from guards and middleware', async () => {
    const Routes = controllerThat({ guarded: () => 'ok', open: () => 'ok' });
    route(Routes, 'guarded', UseGuards({ canActivate: () => call() }));
    const app = await create([Routes]);
    app.use('/open', (_request: unknown, _response: unknown, next: (error: unknown) => void) => {
      call().catch(next);
    });
    app.useGlobalFilters(nestBackpressure(Catch));
    const url = await urlOf(app);
    expectProblem(await send(`${url}/guarded`));
    expectProblem(await send(`${url}/open`));
  });

  test('leaves an HttpException of 4xx as it is, and answers one of 5xx, if a rejection caused them', async () => {
    const wrapped = (status: number) => () =>
      call().catch((cause) => {
        throw new HttpException('chosen', status, { cause });
      });
    const app = await create([controllerThat({ conflict: wrapped(409), failure: wrapped(500) })]);
    app.useGlobalFilters(nestBackpressure(Catch));
    const url = await urlOf(app);
    const conflict = await send(`${url}/conflict`);
    expect([conflict.status, JSON.parse(conflict.body)]).toEqual([
      409,
      { statusCode: 409, message: 'chosen' },
    ]);
    expectProblem(await send(`${url}/failure`));
  });

  test('answers through the reply of Fastify', async () => {
    const filter = nestBackpressure(Catch);
    const app = Fastify({ forceCloseConnections: true });
    app.setErrorHandler((error, request, reply) => {
      filter.catch(error, new ExecutionContextHost([request, reply]));
      return reply;
    });
    app.get('/call', async (_request, reply) => {
      reply.headers(HEADERS_SET_BEFORE);
      return call();
    });
    app.get('/sent', async (_request, reply) => {
      reply.raw.write('partial');
      return call();
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    expectProblem(await send(`${url}/call`), {
      'x-request-id': '7',
      'access-control-allow-origin': 'https://shop.example',
    });
    expect((await send(`${url}/call`, { method: 'HEAD' })).body).toBe('');
    expect(await send(`${url}/sent`)).toMatchObject({ status: 200, body: 'partial', complete: true });
  });

  test('does nothing for what is no HTTP request', async () => {
    const error = await call().catch((reason: unknown) => reason);
    const host = new ExecutionContextHost(['data', 'context']);
    host.setType('rpc');
    expect(nestBackpressure(Catch).catch(error, host)).toBe(undefined);
    expect(host.getArgs()).toEqual(['data', 'context']);
  });

  test('says what is wrong with its arguments', () => {
    expect(() => nestBackpressure({} as typeof Catch)).toThrow(
      "floodgate: nestBackpressure() takes Catch of '@nestjs/common', got object",
    );
    expect(() => nestBackpressure(Catch, { expose: ['stack'] } as object)).toThrow(
      "expose[0] must be one of 'reason'",
    );
  });
});
