import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { nodeBackpressure } from 'floodgate/http';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Application,
  describeAdapter,
  expectProblem,
  HEADERS_SET_BEFORE,
  type Library,
  listen,
} from './support/describe-adapter.js';
import { rejectedCall } from './support/rejected-call.js';
import { send } from './support/send.js';

/** Without a framework nobody answers what a handler throws, unless Node is told to. */
function capturingServer(handler: (request: IncomingMessage, response: ServerResponse) => unknown) {
  EventEmitter.captureRejections = true;
  try {
    return createServer(handler);
  } finally {
    EventEmitter.captureRejections = false;
  }
}

function application({ calls }: Application) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const [, first, second] = request.url!.split('/');
    switch (first) {
      case 'call': {
        const rows = await calls[second as Library]();
        response.setHeader('Content-Type', 'application/json');
        return response.end(JSON.stringify(rows));
      }
      case 'headers':
        for (const [name, value] of Object.entries(HEADERS_SET_BEFORE)) response.setHeader(name, value);
        return response.end(await calls.pg());
      case 'sent':
        response.write('partial');
        return response.end(await calls.pg());
      case 'boom':
        throw new Error('boom');
      case 'teapot':
        return response.writeHead(418).end('short and stout');
      default:
        return response.writeHead(404).end();
    }
  };
}

describeAdapter('node:http', (app, withAdapter) => {
  const handler = application(app);
  return listen(capturingServer(withAdapter ? nodeBackpressure(handler) : handler));
});

describe('nodeBackpressure', () => {
  const call = rejectedCall();

  test('leaves what the handler returns and throws as it is', async () => {
    const boom = new Error('boom');
    const asked = { headers: {} } as IncomingMessage;
    const sent = { headersSent: false } as ServerResponse;
    expect(nodeBackpressure(() => 5)(asked, sent)).toBe(5);
    expect(await nodeBackpressure(async () => 5)(asked, sent)).toBe(5);
    const throws = nodeBackpressure(() => {
      throw boom;
    });
    expect(() => throws(asked, sent)).toThrow(boom);
    await expect(nodeBackpressure(() => Promise.reject(boom))(asked, sent)).rejects.toBe(boom);
  });

  test('answers what a handler throws at once', async () => {
    const error = await call().catch((reason: unknown) => reason);
    const server = await listen(
      createServer(
        nodeBackpressure(() => {
          throw error;
        }),
      ),
    );
    onTestFinished(() => server.close());
    expectProblem(await send(server.url));
  });

  test('sends no body for HEAD, which a strict server would refuse', async () => {
    const handler = nodeBackpressure((_request, _response) => call());
    const server = await listen(createServer({ rejectNonStandardBodyWrites: true }, handler));
    onTestFinished(() => server.close());
    expect(await send(server.url, { method: 'HEAD' })).toMatchObject({
      status: 503,
      body: '',
      complete: true,
    });
  });

  test('is content when the client has gone before the answer', async () => {
    const handler = nodeBackpressure(async (_request, response) => {
      outgoing.destroy();
      await once(response, 'close');
      await call();
    });
    const handled = new EventEmitter();
    const server = await listen(createServer((...args) => handled.emit('result', handler(...args))));
    onTestFinished(() => server.close());
    const outgoing = request(server.url).on('error', () => {});
    outgoing.end();
    const [result] = await once(handled, 'result');
    expect(await result).toBe(undefined);
  });

  test.each(['GET', 'HEAD'])('answers %s over HTTP/2', async (method) => {
    const server = createHttp2Server(nodeBackpressure(() => call()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':method': method, accept: 'text/plain' });
    const [headers] = await once(stream, 'response');
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += chunk;
    expect(headers).toMatchObject({
      ':status': 503,
      'retry-after': expect.stringMatching(/^[123]$/),
      'cache-control': 'no-store',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(body).toMatch(method === 'HEAD' ? /^$/ : /^Service Unavailable\n/);
  });

  test('says what is wrong with its arguments', () => {
    expect(() => nodeBackpressure({} as () => void)).toThrow(
      'floodgate: nodeBackpressure() takes a request handler, got object',
    );
    expect(() => nodeBackpressure(() => {}, { title: 5 } as object)).toThrow(
      'title must be a non-empty string, got 5 (number)',
    );
  });
});
