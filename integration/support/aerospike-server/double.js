// @ts-check
import { createServer } from 'node:net';
import { runBatch } from './batch.js';
import { Faults } from './faults.js';
import { FrameReader, frame } from './frames.js';
import { Indexes } from './indexes.js';
import { infoAnswers } from './info.js';
import { readMessage, writeMessage } from './message.js';
import { FIELD, FRAME, INFO1, INFO2, INFO3, OP, RESULT } from './protocol.js';
import { runQuery } from './query.js';
import { runOnRecord } from './record-commands.js';
import { Store } from './store.js';
import { checkRequest, Unsupported } from './unsupported.js';

/** @typedef {import('node:net').Socket} Socket */

/**
 * A test double of one Aerospike node, for the real client: it speaks the wire protocol, keeps what it is given, and does
 * to commands what a test has asked for. What it does implement it answers as a server of version 8, Community Edition, in its
 * usual configuration does; what it does not, with error 16 (unsupported feature), and tells.
 */
export class AerospikeDouble {
  faults = new Faults();
  /** What was refused because it is not implemented. @type {string[]} */
  refusals = [];
  /** Commands begun and not answered. */
  inFlight = 0;
  peakInFlight = 0;
  /** Commands taken up, by kind. @type {Record<string, number>} */
  commands = {};
  peakConnections = 0;
  #namespace = 'test';
  #store = new Store();
  #indexes = new Indexes();
  #sockets = new Set();
  #port = 0;
  /** @type {import('node:net').Server | undefined} */
  #server;
  #info = infoAnswers({
    namespace: this.#namespace,
    port: () => this.#port,
    store: this.#store,
    indexes: this.#indexes,
    modules: new Map(),
  });

  get connections() {
    return this.#sockets.size;
  }

  /**
   * @param {number} port
   * @returns {Promise<void>}
   */
  listen(port) {
    this.#port = port;
    const server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  }

  /** Cuts every connection, and refuses new ones. The data stay. */
  stop() {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  resetCounts() {
    this.commands = {};
    this.peakInFlight = this.inFlight;
    this.peakConnections = this.connections;
    this.refusals = [];
  }

  /** @param {Socket} socket */
  #serve(socket) {
    const reader = new FrameReader();
    this.#sockets.add(socket);
    this.peakConnections = Math.max(this.peakConnections, this.connections);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const { kind, body } of reader.read(chunk)) this.#answer(socket, kind, body);
    });
  }

  /**
   * @param {Socket} socket
   * @param {number} kind
   * @param {Buffer} body
   */
  #answer(socket, kind, body) {
    switch (kind) {
      case FRAME.info:
        socket.write(frame(FRAME.info, Buffer.from(this.#answerInfo(body.toString()))));
        break;
      case FRAME.admin: {
        const reply = Buffer.alloc(16);
        reply[1] = RESULT.securityNotSupported;
        socket.write(frame(FRAME.admin, reply));
        break;
      }
      case FRAME.message:
        this.#answerMessage(socket, body);
        break;
      default:
        this.#refuse(`frames of kind ${kind}`);
        socket.destroy();
    }
  }

  /** @param {string} text */
  #answerInfo(text) {
    const requests = text.split('\n').filter((line) => line !== '');
    return requests.map((request) => `${request}\t${this.#infoOrRefusal(request)}\n`).join('');
  }

  /** @param {string} request */
  #infoOrRefusal(request) {
    try {
      return this.#info(request);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      this.#refuse(error.message);
      return `ERROR:16:the test double does not know ${request.slice(0, 60)}`;
    }
  }

  /**
   * @param {Socket} socket
   * @param {Buffer} body
   */
  #answerMessage(socket, body) {
    const request = readMessage(body);
    const kind = kindOf(request);
    const fault = this.faults.take(kind);
    this.commands[kind] = (this.commands[kind] ?? 0) + 1;
    this.inFlight++;
    if (this.inFlight > this.peakInFlight) this.peakInFlight = this.inFlight;
    let open = true;
    const end = () => {
      if (open) this.inFlight--;
      open = false;
    };
    if (fault?.hang) {
      socket.once('close', end);
      return;
    }
    if (fault?.drop) {
      end();
      socket.destroy();
      return;
    }
    const reply = () => {
      end();
      if (fault?.result !== undefined) {
        socket.write(frame(FRAME.message, writeMessage({ result: fault.result, info3: INFO3.last })));
      } else void this.#write(socket, this.#run(request, kind), fault?.betweenMs ?? 0);
    };
    const { delayMs } = fault ?? {};
    if (delayMs === undefined) reply();
    else if (fault?.pool === undefined) setTimeout(reply, delayMs);
    else fault.pool.work(delayMs, reply);
  }

  /**
   * @param {import('./message.js').Request} request
   * @param {import('./faults.js').CommandKind} kind
   * @returns {Buffer[]}
   */
  #run(request, kind) {
    try {
      const { fields } = request;
      if (isOfTransaction(fields)) {
        return [writeMessage({ result: RESULT.enterpriseOnly, info3: INFO3.last })];
      }
      checkRequest(request);
      const elements = fields.get(FIELD.batchIndex);
      if (elements !== undefined) {
        return [runBatch(this.#store, elements, this.#namespace, () => this.faults.take('element')?.result)];
      }
      if (fields.get(FIELD.namespace)?.toString() !== this.#namespace) {
        return [writeMessage({ result: RESULT.namespaceNotFound, info3: INFO3.last })];
      }
      if (kind === 'query' || kind === 'background') return runQuery(this.#store, this.#indexes, request);
      const digest = fields.get(FIELD.digest);
      if (digest === undefined) throw new Unsupported('a command without a digest');
      return [writeMessage(runOnRecord(this.#store, request, digest))];
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      this.#refuse(error.message);
      return [writeMessage({ result: RESULT.unsupported, info3: INFO3.last })];
    }
  }

  /**
   * @param {Socket} socket
   * @param {Buffer[]} bodies
   * @param {number} betweenMs
   */
  async #write(socket, bodies, betweenMs) {
    for (const [index, body] of bodies.entries()) {
      if (index > 0 && betweenMs > 0) await new Promise((resolve) => setTimeout(resolve, betweenMs));
      if (socket.destroyed) return;
      socket.write(frame(FRAME.message, body));
    }
  }

  /** @param {string} what */
  #refuse(what) {
    this.refusals.push(what);
    process.stderr.write(`Aerospike test double: ${what} is not implemented\n`);
  }
}

/**
 * @param {import('./message.js').Request} request
 * @returns {import('./faults.js').CommandKind}
 */
function kindOf({ info1, info2, fields, ops }) {
  if (info1 & INFO1.batch) return 'batch';
  const writes = (info2 & INFO2.write) !== 0;
  if (!fields.has(FIELD.digest)) return writes ? 'background' : 'query';
  if (!writes) return 'read';
  return ops.every(({ op }) => op === OP.write) && (info1 & INFO1.read) === 0 ? 'write' : 'operate';
}

/**
 * The record that watches over a transaction, or one that takes part in it.
 *
 * @param {ReadonlyMap<number, Buffer>} fields
 */
function isOfTransaction(fields) {
  return fields.has(FIELD.transactionId) || fields.get(FIELD.set)?.toString() === '<ERO~MRT';
}
