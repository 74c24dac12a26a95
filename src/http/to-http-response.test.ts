import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type BackpressureDetails, BackpressureError } from '../core/backpressure-error.js';
import { type HttpResponseOptions, toHttpResponse } from './to-http-response.js';

const DETAILS: BackpressureDetails = {
  reason: 'limit',
  limiter: 'orders',
  operation: 'query',
  limit: 10,
  inFlight: 12,
  retryAfterMs: 1000,
};
const error = new BackpressureError(DETAILS);

/** The response to a rejection, without jitter unless asked for. */
function answer(options: HttpResponseOptions = {}, thrown: unknown = error) {
  const response = toHttpResponse(thrown, { random: () => 0, ...options });
  if (response === undefined) throw new Error('no response');
  return response;
}

function secondsAfter(retryAfterMs: number, options: HttpResponseOptions = {}): number {
  return Number(answer(options, new BackpressureError({ ...DETAILS, retryAfterMs })).headers['Retry-After']);
}

describe('toHttpResponse', () => {
  test('answers a rejection with 503 and a problem that shows nothing of the inside', () => {
    const { body, ...rest } = answer();
    expect(rest).toEqual({
      status: 503,
      headers: {
        'Retry-After': '1',
        'Cache-Control': 'no-store',
        'Content-Type': 'application/problem+json',
      },
    });
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The service has as much work as it can do. Please try again in 1 second.',
      retryAfterSeconds: 1,
    });
    expect(body).not.toMatch(/orders|query|10|12|limit/);
  });

  test('answers a wrapped one in the same way', () => {
    expect(answer({}, new Error('orm', { cause: error }))).toEqual(answer());
    expect(answer({}, Object.assign(new Error('orm'), { original: error }))).toEqual(answer());
    expect(answer({}, new AggregateError([new Error('other'), error]))).toEqual(answer());
  });

  test.each([new Error('boom'), undefined, null, 503, { statusCode: 503 }])(
    'has no answer to %s',
    (other) => {
      expect(toHttpResponse(other)).toBe(undefined);
    },
  );

  test('leaves an error alone that brings a 4xx of its own, and no other status', () => {
    const wrapped = (fields: object) => Object.assign(new Error('http', { cause: error }), fields);
    expect(toHttpResponse(wrapped({ status: 429 }))).toBe(undefined);
    expect(toHttpResponse(wrapped({ statusCode: 409 }))).toBe(undefined);
    expect(answer({}, wrapped({ status: 500 })).status).toBe(503);
    expect(answer({}, wrapped({ statusCode: '409' })).status).toBe(503);
  });

  test('gives HEAD the headers of GET and no body', () => {
    expect(answer({ method: 'HEAD' })).toEqual({ ...answer({ method: 'GET' }), body: '' });
  });

  test('is what `new Response` takes', async () => {
    const response = new Response(answer().body, answer());
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ status: 503 });
  });

  test('writes a page or plain text for those who like that better', () => {
    const options = { title: 'Busy <now>', detail: `"Soon" & 'later'` };
    const html = answer({ ...options, accept: 'text/html' });
    expect(html.headers['Content-Type']).toBe('text/html; charset=utf-8');
    expect(html.body).toContain('<title>Busy &lt;now&gt;</title>');
    expect(html.body).toContain('<p>&quot;Soon&quot; &amp; &#39;later&#39;</p>');
    const text = answer({ ...options, accept: 'text/plain' });
    expect(text.headers['Content-Type']).toBe('text/plain; charset=utf-8');
    expect(text.body).toBe(`Busy <now>\n"Soon" & 'later'\n`);
    expect(answer({ ...options, accept: null }).headers['Content-Type']).toBe('application/problem+json');
  });

  test('says type, title and detail as told', () => {
    const options = { type: 'https://example.org/busy', title: 'Busy', detail: 'Come back.' };
    expect(JSON.parse(answer(options).body)).toEqual({ ...options, status: 503, retryAfterSeconds: 1 });
  });

  test('shows the fields that are named, cut to a bounded length', () => {
    const long = new BackpressureError({
      ...DETAILS,
      operation: 'q'.repeat(5000),
      operationClass: 'reports',
    });
    const shown = JSON.parse(answer({ expose: ['reason', 'limiter', 'limit', 'inFlight'] }).body);
    expect(shown).toMatchObject({ reason: 'limit', limiter: 'orders', limit: 10, inFlight: 12 });
    expect(Object.keys(shown)).toHaveLength(9);
    expect(JSON.parse(answer({ expose: ['operation', 'operationClass'] }, long).body)).toMatchObject({
      operation: 'q'.repeat(100),
      operationClass: 'reports',
    });
  });
});

describe('Retry-After', () => {
  test.each([
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
    [60_000, 60],
    [Number.NaN, 1],
    [-5, 1],
    [Number.POSITIVE_INFINITY, 1],
    [1e300, 2_147_484],
  ])('for %d ms begins at %d s', (retryAfterMs, seconds) => {
    expect(secondsAfter(retryAfterMs)).toBe(seconds);
  });

  test.each([
    // A source just below 1: as much again, at least 2.
    [1000, {}, 3],
    [5000, {}, 10],
    [5000, { jitterSeconds: 0 }, 5],
    [5000, { jitterSeconds: 1 }, 6],
  ])('for %d ms with %j ends at its last second', (retryAfterMs, options, seconds) => {
    expect(secondsAfter(retryAfterMs, { ...options, random: () => 0.999999 })).toBe(seconds);
  });

  test('spreads evenly, and says the same in the body', () => {
    const draws = Array.from({ length: 300 }, (_, index) => {
      const { headers, body } = answer({ random: () => index / 300 });
      expect(JSON.parse(body).retryAfterSeconds).toBe(Number(headers['Retry-After']));
      return headers['Retry-After'];
    });
    expect(['1', '2', '3'].map((second) => draws.filter((draw) => draw === second).length)).toEqual([
      100, 100, 100,
    ]);
    expect(JSON.parse(answer({ random: () => 0.5 }).body).detail).toContain('in 2 seconds.');
  });

  test('property: a whole number within its bounds, whatever the source says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_147_483_647 }),
        fc.option(fc.integer({ min: 0, max: 86_400 }), { nil: undefined }),
        fc.double(),
        (retryAfterMs, jitterSeconds, draw) => {
          const seconds = secondsAfter(retryAfterMs, { jitterSeconds, random: () => draw });
          const least = Math.max(1, Math.ceil(retryAfterMs / 1000));
          expect(Number.isInteger(seconds)).toBe(true);
          expect(seconds).toBeGreaterThanOrEqual(least);
          expect(seconds).toBeLessThanOrEqual(least + (jitterSeconds ?? Math.max(least, 2)));
        },
      ),
    );
  });
});

describe('what must not break the answer', () => {
  test('is a random source that throws', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const random = () => {
      throw new Error('no luck');
    };
    expect([secondsAfter(5000, { random }), secondsAfter(5000, { random })]).toEqual([5, 5]);
    expect(warned.mock.calls.map(([message]) => String(message).split('.')[0])).toEqual([
      'random threw; floodgate goes on without it',
    ]);
    warned.mockRestore();
  });

  test('is an error of another copy with other things in it', () => {
    const foreign = new BackpressureError({
      ...DETAILS,
      limit: 10n as never,
      operation: { sql: 1 } as never,
    });
    const shown = JSON.parse(answer({ expose: ['limit', 'operation', 'inFlight'] }, foreign).body);
    expect(shown).toMatchObject({ status: 503, inFlight: 12 });
    expect(Object.keys(shown)).not.toContain('limit');
    expect(Object.keys(shown)).not.toContain('operation');
  });

  test('is a getter that throws, on what wraps the rejection', () => {
    const wrapper = Object.defineProperty(new Error('orm', { cause: error }), 'status', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(answer({}, wrapper).status).toBe(503);
    expect(answer({}, Object.freeze(new Error('orm', { cause: Object.freeze(error) }))).status).toBe(503);
  });
});

describe('wrong options', () => {
  test.each<[unknown, string]>([
    [{ jiter: 1 }, "unknown toHttpResponse option 'jiter'"],
    [{ jitterSeconds: 1.5 }, 'jitterSeconds must be an integer from 0 to 86400, got 1.5 (number)'],
    [{ jitterSeconds: '1' }, "jitterSeconds must be an integer from 0 to 86400, got '1' (string)"],
    [{ random: 5 }, 'random must be a function, got 5 (number)'],
    [{ title: '' }, "title must be a non-empty string, got '' (string)"],
    [{ expose: 'reason' }, "expose must be an array of names of fields, got 'reason' (string)"],
    [{ expose: ['reason', 'message'] }, "expose[1] must be one of 'reason', 'limiter', "],
    [{ accept: ['text/html'] }, 'accept must be a string, got an array'],
    [{ method: 5 }, 'method must be a string, got 5 (number)'],
    [null, 'toHttpResponse options must be an object, got null'],
  ])('%j: %s', (options, message) => {
    for (const thrown of [error, new Error('boom')]) {
      expect(() => toHttpResponse(thrown, options as HttpResponseOptions)).toThrow(message);
    }
  });
});
