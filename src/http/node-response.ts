import { STALE_HEADERS } from './stale-headers.js';
import type { HttpResponse } from './to-http-response.js';

/** What is asked of a request: `http.IncomingMessage` and those of frameworks have it. */
export interface RequestLike {
  readonly method?: string | undefined;
  readonly headers: { readonly accept?: string | undefined };
}

/** What is asked of a response: `http.ServerResponse` and its `http2` counterpart have it. */
export interface ResponseLike {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  removeHeader(name: string): unknown;
  end(): unknown;
  end(body: string): unknown;
}

/** Sends the whole response; nothing of it may have been sent before. */
export function sendResponse(request: RequestLike, response: ResponseLike, answer: HttpResponse): void {
  for (const name of STALE_HEADERS) response.removeHeader(name);
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  response.setHeader('Content-Length', String(Buffer.byteLength(answer.body)));
  // A server with `rejectNonStandardBodyWrites` throws on a body for HEAD, others ignore it.
  if (request.method === 'HEAD') response.end();
  else response.end(answer.body);
}
