import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { LIBRARIES, type Library, type SaturatedDatabase, saturateDatabase } from './saturated-database.js';
import { type Received, send } from './send.js';

/** Headers that a handler sets before it fails: some are for the caller, the others for the body that never came. */
export const HEADERS_SET_BEFORE = {
  'X-Request-Id': '7',
  'Access-Control-Allow-Origin': 'https://shop.example',
  'Cache-Control': 'public, max-age=3600',
  'CDN-Cache-Control': 'max-age=600',
  'Content-Digest': 'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:',
  'Content-Disposition': 'attachment; filename="orders.csv"',
  'Content-Encoding': 'identity',
  ETag: '"1"',
  'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT',
  Location: '/orders/7',
} as const;

/**
 * The application that each framework serves:
 *
 * - `/call/<library>`: the rows that the call gives, as JSON;
 * - `/headers`: sets {@link HEADERS_SET_BEFORE}, then makes a call;
 * - `/sent`: sends `partial`, then makes a call;
 * - `/boom`: throws `new Error('boom')`;
 * - `/teapot`: an error with status 418, in the framework's own way.
 */
export interface Application {
  readonly calls: SaturatedDatabase['calls'];
}

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the application on a free port; with the adapter, or as it would be without floodgate/http. */
export type StartApplication = (application: Application, withAdapter: boolean) => Promise<RunningServer>;

const { url: databaseUrl } = inject('postgres');

/** What is true of every adapter: real requests over a real pool whose only permit is taken. */
export function describeAdapter(name: string, start: StartApplication): void {
  describe(name, () => {
    let database: SaturatedDatabase;
    let adapted: RunningServer;
    let bare: RunningServer;

    beforeAll(async () => {
      database = await saturateDatabase(databaseUrl);
      adapted = await start(database, true);
      bare = await start(database, false);
    });
    afterAll(async () => {
      await Promise.all([adapted?.close(), bare?.close()]);
      await database?.[Symbol.asyncDispose]();
    });

    test.each(LIBRARIES)(
      'answers a rejection that comes through %s with 503 and a problem',
      async (library) => {
        expectProblem(await send(`${adapted.url}/call/${library}`));
      },
    );

    test('gives the pool one rejection for each request, and no permit', async () => {
      const before = database.rejected();
      await send(`${adapted.url}/call/pg`);
      await send(`${adapted.url}/call/pg`, { method: 'POST' });
      expect(database.rejected()).toBe(before + 2);
    });

    test('spreads Retry-After over 1 to 3 seconds', async () => {
      const seen = new Set<string | undefined>();
      for (let requests = 0; requests < 60; requests++) {
        seen.add((await send(`${adapted.url}/call/pg`)).headers['retry-after']);
      }
      expect([...seen].sort()).toEqual(['1', '2', '3']);
    });

    test('answers HEAD with the same headers and no body', async () => {
      const { status, headers, body, complete } = await send(`${adapted.url}/call/pg`, { method: 'HEAD' });
      expect({ status, body, complete }).toEqual({ status: 503, body: '', complete: true });
      expect(headers).toMatchObject({
        'retry-after': expect.stringMatching(/^[123]$/),
        'cache-control': 'no-store',
        'content-type': 'application/problem+json',
      });
      expect(headers['content-length']).not.toBe('0');
    });

    test.each([
      ['text/html', 'text/html; charset=utf-8', /^<!doctype html>.*<h1>Service Unavailable<\/h1>/s],
      ['text/plain', 'text/plain; charset=utf-8', /^Service Unavailable\nThe service has /],
      ['image/png', 'application/problem+json', /^\{"type":"about:blank","title":"Service Unavailable",/],
    ])('a client that accepts %s gets %s', async (accept, contentType, body) => {
      const received = await send(`${adapted.url}/call/pg`, { headers: { accept } });
      expect(received).toMatchObject({ status: 503, headers: { 'content-type': contentType } });
      expect(received.body).toMatch(body);
    });

    test('keeps headers that were set for the caller, and drops those of the body that never came', async () => {
      const received = await send(`${adapted.url}/headers`);
      expectProblem(received, {
        'x-request-id': '7',
        'access-control-allow-origin': 'https://shop.example',
      });
    });

    test.each([
      ['/boom', 500],
      ['/teapot', 418],
      ['/nowhere', 404],
    ])('%s is answered with %d, byte for byte as without it', async (path, status) => {
      for (const method of ['GET', 'HEAD']) {
        const received = await send(`${adapted.url}${path}`, { method });
        expect(received).toEqual(await send(`${bare.url}${path}`, { method }));
        expect(received.status).toBe(status);
      }
    });

    test('a response that has begun ends as without it', async () => {
      const received = await send(`${adapted.url}/sent`);
      expect(received).toEqual(await send(`${bare.url}/sent`));
      expect(received).toMatchObject({ status: 200, body: 'partial' });
      expect(received.headers).not.toHaveProperty('retry-after');
    });

    test('the answer comes in under 5 ms at the median', async () => {
      const latencies: number[] = [];
      for (let requests = 0; requests < 250; requests++) {
        const begun = performance.now();
        const { status } = await send(`${adapted.url}/call/pg`);
        latencies.push(performance.now() - begun);
        expect(status).toBe(503);
      }
      // The first ones compile the code.
      const settled = latencies.slice(50).sort((a, b) => a - b);
      expect(settled).toHaveLength(200);
      expect(settled[100]).toBeLessThan(5);
    });

    test('what is admitted is answered as ever', async () => {
      database.release();
      for (const library of LIBRARIES) {
        const received = await send(`${adapted.url}/call/${library}`);
        expect(received).toMatchObject({ status: 200, body: '[{"one":1}]' });
        expect(received).toEqual(await send(`${bare.url}/call/${library}`));
      }
    });
  });
}

/** All of it, headers too: whatever is not named here must not be there. */
export function expectProblem({ status, headers, body, complete }: Received, extra: object = {}): void {
  const seconds = Number(headers['retry-after']);
  expect({ status, complete, problem: JSON.parse(body) }).toEqual({
    status: 503,
    complete: true,
    problem: {
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: `The service has as much work as it can do. Please try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
      retryAfterSeconds: seconds,
    },
  });
  const { 'x-powered-by': _, 'transfer-encoding': chunked, 'content-length': length, ...rest } = headers;
  expect(rest).toEqual({
    'retry-after': expect.stringMatching(/^[123]$/),
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
    ...extra,
  });
  expect({ chunked, length }).toEqual({ chunked: undefined, length: String(Buffer.byteLength(body)) });
}

/** Listens on a free port. */
export async function listen(server: Server): Promise<RunningServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type { Library };
