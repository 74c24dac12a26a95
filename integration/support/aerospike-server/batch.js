// @ts-check
import { readParts, writeMessage } from './message.js';
import { FIELD, INFO3, RESULT } from './protocol.js';
import { runOnRecord } from './record-commands.js';
import { checkBatchFlags, checkRequest } from './unsupported.js';

/** What follows an element's digest. */
const ELEMENT = { repeat: 1, info: 2, generation: 4, ttl: 8, info4: 16 };

/**
 * Runs the elements of a batch in their order, each with its own result.
 *
 * @param {import('./store.js').Store} store
 * @param {Buffer} field
 * @param {string} namespace of the store
 * @param {() => number | undefined} resultOfElement a result to be given instead
 */
export function runBatch(store, field, namespace, resultOfElement) {
  checkBatchFlags(field[4] ?? 0);
  const replies = [];
  for (const { batchIndex, digest, request } of readElements(field)) {
    checkRequest(request);
    const forced = resultOfElement();
    const known = request.fields.get(FIELD.namespace)?.toString() === namespace;
    const reply =
      forced !== undefined
        ? { result: forced }
        : known
          ? runOnRecord(store, request, digest)
          : { result: RESULT.namespaceNotFound };
    replies.push(writeMessage({ ...reply, batchIndex }));
  }
  replies.push(writeMessage({ info3: INFO3.last }));
  return Buffer.concat(replies);
}

/** @param {Buffer} field */
function* readElements(field) {
  const count = field.readUInt32BE(0);
  let at = 5;
  /** @type {import('./message.js').Request} */
  let request = { info1: 0, info2: 0, info3: 0, info4: 0, generation: 0, ttl: 0, fields: new Map(), ops: [] };
  for (let i = 0; i < count; i++) {
    const batchIndex = field.readUInt32BE(at);
    const digest = field.subarray(at + 4, at + 24);
    const has = field[at + 24] ?? 0;
    at += 25;
    if ((has & ELEMENT.repeat) === 0) {
      let [info1 = 0, info2 = 0, info3 = 0] = [field[at], 0, 0];
      at += 1;
      if (has & ELEMENT.info) {
        [info2 = 0, info3 = 0] = field.subarray(at, at + 2);
        at += 2;
      }
      const info4 = has & ELEMENT.info4 ? (field[at] ?? 0) : 0;
      if (has & ELEMENT.info4) at += 1;
      const generation = has & ELEMENT.generation ? field.readUInt16BE(at) : 0;
      if (has & ELEMENT.generation) at += 2;
      const ttl = has & ELEMENT.ttl ? field.readUInt32BE(at) : 0;
      if (has & ELEMENT.ttl) at += 4;
      const parts = readParts(field, at + 4, field.readUInt16BE(at), field.readUInt16BE(at + 2));
      at = parts.end;
      request = { info1, info2, info3, info4, generation, ttl, fields: parts.fields, ops: parts.ops };
    }
    yield { batchIndex, digest, request };
  }
}
