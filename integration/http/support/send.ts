import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Received {
  readonly status: number;
  /** Without those that tell of the connection and the time. */
  readonly headers: IncomingHttpHeaders;
  /** What came of it, whole or not. */
  readonly body: string;
  /** `false` when the connection was closed in the middle of it. */
  readonly complete: boolean;
}

/** One connection for all requests of a test, so that a latency is that of the answer. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Plain node:http: fetch hides what is not a proper response. */
export function send(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers, timeout: 5_000 }, (response) => {
      const chunks: Buffer[] = [];
      const { date, connection, 'keep-alive': _, ...rest } = response.headers;
      response.on('data', (chunk) => chunks.push(chunk));
      // Its 'close' comes in any case.
      response.on('error', () => {});
      response.on('close', () => {
        resolve({
          status: response.statusCode!,
          headers: rest,
          body: Buffer.concat(chunks).toString(),
          complete: response.complete,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${url}: no answer within 5 s`)));
    outgoing.end();
  });
}
