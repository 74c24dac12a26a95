// @ts-check
import { BinChanges } from './bin-changes.js';
import { FIELD, INFO1, INFO2, INFO3, LARGEST_RECORD, LONGEST_TTL, OP, RESULT, TTL } from './protocol.js';
import { nowInSeconds } from './store.js';
import { Unsupported } from './unsupported.js';
import { refusalOfWrite } from './write-rules.js';

/**
 * One command on one record: read, write, operate, remove, as a single command or as an element of a batch. Its checks come
 * in the order of the server's (`as/src/transaction/write.c`, `delete.c`, `read.c`).
 *
 * @param {import('./store.js').Store} store
 * @param {import('./message.js').Request} request
 * @param {Buffer} digest
 * @returns {import('./message.js').Reply}
 */
export function runOnRecord(store, request, digest) {
  const { info2 } = request;
  if ((info2 & INFO2.write) === 0) return read(store.get(digest), request);
  if (info2 & INFO2.durableDelete) return { result: RESULT.enterpriseOnly };
  if (info2 & INFO2.remove) return remove(store, request, digest);
  return write(store, request, digest);
}

/**
 * @param {import('./store.js').StoredRecord | undefined} record
 * @param {import('./message.js').Request} request
 * @returns {import('./message.js').Reply}
 */
function read(record, request) {
  const { info1, ops, ttl } = request;
  if (ttl !== 0) throw new Unsupported('a read that extends the time to live');
  const named = (info1 & (INFO1.getAll | INFO1.noBinData)) === 0;
  if (record === undefined) return { result: RESULT.notFound };
  if (named && ops.length === 0) return { result: RESULT.parameter };
  const { generation, voidTime } = record;
  return { generation, voidTime, bins: readBins(record, request) };
}

/**
 * @param {import('./store.js').Store} store
 * @param {import('./message.js').Request} request
 * @param {Buffer} digest
 * @returns {import('./message.js').Reply}
 */
function remove(store, request, digest) {
  const record = store.get(digest);
  if (record === undefined) return { result: RESULT.notFound };
  if (!isOfGeneration(record.generation, request)) return { result: RESULT.generation };
  store.delete(digest);
  return {};
}

/**
 * @param {import('./store.js').Store} store
 * @param {import('./message.js').Request} request
 * @param {Buffer} digest
 * @returns {import('./message.js').Reply}
 */
function write(store, request, digest) {
  const { info1, info2, info3, fields, ops, ttl } = request;
  if (ttl > LONGEST_TTL && ttl !== TTL.never && ttl !== TTL.unchanged) return { result: RESULT.parameter };
  const refusal = refusalOfWrite(request);
  if (refusal !== undefined) return { result: refusal };
  const before = store.get(digest);
  const touches = ops.some(({ op }) => op === OP.touch);
  if (before === undefined && (touches || info3 & (INFO3.updateOnly | INFO3.replaceOnly))) {
    return { result: RESULT.notFound };
  }
  if (before !== undefined && info2 & INFO2.createOnly) return { result: RESULT.exists };
  if (!isOfGeneration(before?.generation ?? 0, request)) return { result: RESULT.generation };

  const replaces = (info3 & (INFO3.createOrReplace | INFO3.replaceOnly)) !== 0;
  const changes = new BinChanges(
    replaces ? undefined : before?.bins,
    (info2 & INFO2.respondAllOps) !== 0,
    (info1 & INFO1.getAll) !== 0,
  );
  for (const operation of ops) {
    const result = changes.apply(operation);
    if (result !== RESULT.ok) return { result };
  }
  const { bins, answers } = changes;
  if (bins.size === 0) {
    if (before === undefined) return { result: RESULT.notFound };
    store.delete(digest);
    return { bins: answers };
  }
  if (sizeOf(bins) > LARGEST_RECORD) return { result: RESULT.tooBig };
  const record = {
    digest: Buffer.from(digest),
    set: fields.get(FIELD.set)?.toString() ?? before?.set ?? '',
    key: copyOf(fields.get(FIELD.key)) ?? before?.key,
    generation: (before?.generation ?? 0) + 1,
    voidTime: voidTimeOf(ttl, before),
    updatedAt: Date.now(),
    bins,
  };
  store.put(record);
  return { generation: record.generation, voidTime: record.voidTime, bins: answers };
}

/**
 * @param {import('./store.js').StoredRecord} record
 * @param {import('./message.js').Request} request
 * @returns {[string, import('./message.js').Bin][]}
 */
export function readBins(record, request) {
  const { info1, info2, ops } = request;
  if (info1 & INFO1.noBinData) return [];
  if (info1 & INFO1.getAll) return [...record.bins];
  const changes = new BinChanges(record.bins, (info2 & INFO2.respondAllOps) !== 0, false);
  for (const operation of ops) {
    if (operation.op !== OP.read) throw new Unsupported(`operation ${operation.op} in a read`);
    changes.apply(operation);
  }
  return changes.answers;
}

/**
 * @param {number} present
 * @param {import('./message.js').Request} request
 */
function isOfGeneration(present, { info2, generation }) {
  if (info2 & INFO2.generation) return generation === present;
  if (info2 & INFO2.generationGreater) return generation > present;
  return true;
}

/**
 * Records of this namespace live for ever unless they are given a time.
 *
 * @param {number} ttl
 * @param {import('./store.js').StoredRecord | undefined} before
 */
function voidTimeOf(ttl, before) {
  if (ttl === TTL.unchanged) return before?.voidTime ?? 0;
  if (ttl === TTL.never || ttl === TTL.ofNamespace) return 0;
  return nowInSeconds() + ttl;
}

/** @param {ReadonlyMap<string, import('./message.js').Bin>} bins */
function sizeOf(bins) {
  let bytes = 0;
  for (const [name, { value }] of bins) bytes += name.length + value.length;
  return bytes;
}

/** @param {Buffer | undefined} bytes */
function copyOf(bytes) {
  return bytes && Buffer.from(bytes);
}
