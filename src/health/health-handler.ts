import type { HealthAnswer } from './health-report.js';

/** As much of a `node:http` request as is read. */
export interface HealthRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** As much of a `node:http` response as is used. */
export interface HealthResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  end(body: string): unknown;
}

/**
 * Answers `/livez` and `/readyz`, by GET and HEAD; other methods get 405. Any other path is left to others: `next` is
 * called, where there is one. A response that has been begun is left alone.
 *
 * @returns whether the path was one of the two
 */
export type HealthHandler = (request: HealthRequest, response: HealthResponse, next?: () => void) => boolean;

export function healthHandler(answers: Readonly<Record<string, () => HealthAnswer>>): HealthHandler {
  return function healthHandler(request, response, next) {
    const path = request.url?.split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer === undefined) {
      next?.();
      return false;
    }
    if (response.headersSent) return true;
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 });
      response.end('');
      return true;
    }
    const { status, headers, body } = answer();
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(method === 'HEAD' ? '' : body);
    return true;
  };
}
