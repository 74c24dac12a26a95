import { describe, expect, test } from 'vitest';
import {
  expressBackpressure,
  fastifyBackpressure,
  honoBackpressure,
  koaBackpressure,
  nestBackpressure,
  nodeBackpressure,
} from './index.js';

/** What a framework passes to a function that is mounted where its result should be. */
const request = { method: 'GET', headers: {}, socket: null };

describe('an adapter that is given in the wrong way says which is right', () => {
  test.each<[string, () => unknown, string]>([
    [
      'Express, not called',
      () => (expressBackpressure as (...args: unknown[]) => unknown)(request, {}, () => {}),
      'it is given as app.use(expressBackpressure())',
    ],
    [
      'Koa, not called',
      () => (koaBackpressure as (...args: unknown[]) => unknown)({ req: request, app: {} }, () => {}),
      'it is given as app.use(koaBackpressure())',
    ],
    [
      'Nest, without Catch',
      () => nestBackpressure(undefined as never),
      "takes Catch of '@nestjs/common', got undefined",
    ],
    ['node, without a handler', () => nodeBackpressure({} as never), 'takes a request handler, got object'],
    [
      'Hono, with no handler',
      () => honoBackpressure({ onError: 5 as never }),
      'onError must be a function, got 5 (number)',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  test('Fastify, called', async () => {
    const message = 'fastifyBackpressure is a plugin: await app.register(fastifyBackpressure, options)';
    const call = fastifyBackpressure as (...args: unknown[]) => Promise<void>;
    await expect(call()).rejects.toThrow(message);
    await expect(call({ title: 'Busy' })).rejects.toThrow(message);
  });
});
