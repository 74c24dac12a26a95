import type { BackpressureError } from '../core/backpressure-error.js';
import { findInAggregates } from '../core/find-backpressure-error.js';
import { complaint, type OptionCheck } from '../core/option-checks.js';
import {
  HTTP_OPTION_CHECKS,
  type HttpOptions,
  type HttpSettings,
  resolveHttpOptions,
} from './http-options.js';
import { preferredForm } from './preferred-form.js';
import { problemBody } from './problem-body.js';
import { jitteredSeconds } from './retry-after.js';

/** A response to send in whatever way the server has: `new Response(answer.body, answer)`, for example. */
export interface HttpResponse {
  readonly status: 503;
  readonly headers: {
    /** Whole seconds, at least 1, spread by the jitter. */
    readonly 'Retry-After': string;
    readonly 'Cache-Control': 'no-store';
    readonly 'Content-Type': string;
  };
  /** Empty for a HEAD request. */
  readonly body: string;
}

export interface HttpResponseOptions extends HttpOptions {
  /**
   * The request's `Accept` header: a client that likes HTML or plain text better than JSON gets that.
   * @default a problem in JSON
   */
  readonly accept?: string | null | undefined;
  /** The request's method: `'HEAD'` gets no body. @default 'GET' */
  readonly method?: string | undefined;
}

const CHECKS: Readonly<Record<string, OptionCheck>> = {
  ...HTTP_OPTION_CHECKS,
  accept: (option, value) => {
    if (value !== null && typeof value !== 'string')
      throw new TypeError(complaint(option, 'a string', value));
  },
  method: (option, value) => {
    if (typeof value !== 'string') throw new TypeError(complaint(option, 'a string', value));
  },
};

/**
 * The response to a request that failed with this error: 503 for a `BackpressureError`, itself, wrapped (see
 * `findBackpressureError`) or among the `errors` of an `AggregateError`; `undefined` for any other. Also `undefined` if what
 * wraps it has a `status` or `statusCode` of 4xx: that is an answer somebody chose.
 *
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function toHttpResponse(error: unknown, options: HttpResponseOptions = {}): HttpResponse | undefined {
  const settings = resolveHttpOptions('toHttpResponse', options, CHECKS);
  const response = httpResponse(error, settings, options.accept);
  return response !== undefined && options.method === 'HEAD' ? { ...response, body: '' } : response;
}

/** The same for options that were checked before. The body is there for HEAD too, since servers take its length from it. */
export function httpResponse(
  error: unknown,
  settings: HttpSettings,
  accept: string | null | undefined,
): HttpResponse | undefined {
  const rejection = rejectionIn(error);
  if (rejection === undefined) return undefined;
  const seconds = jitteredSeconds(rejection, settings);
  const { contentType, text } = problemBody(preferredForm(accept), rejection, settings, seconds);
  return {
    status: 503,
    headers: { 'Retry-After': String(seconds), 'Cache-Control': 'no-store', 'Content-Type': contentType },
    body: text,
  };
}

/** The rejection to answer with 503, if the error is or wraps one and has no answer of its own. Never throws. */
export function rejectionIn(error: unknown): BackpressureError | undefined {
  const rejection = findInAggregates(error);
  if (rejection === undefined) return undefined;
  return hasClientErrorStatus(error as object) ? undefined : rejection;
}

function hasClientErrorStatus(error: { status?: unknown; statusCode?: unknown }): boolean {
  try {
    return isClientError(error.status) || isClientError(error.statusCode);
  } catch {
    return false;
  }
}

function isClientError(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500;
}
