// @ts-check
import { writeMessage } from './message.js';
import { FIELD, INFO1, INFO2, INFO3, RESULT } from './protocol.js';
import { readBins, runOnRecord } from './record-commands.js';
import { partitionOf } from './store.js';
import { Unsupported } from './unsupported.js';

/**
 * A scan or a query: its records in pieces, in the order of their partitions and digests, so that a page can begin where
 * the one before has ended. What writes (a background job) is done at once, and answered without records.
 *
 * @param {import('./store.js').Store} store
 * @param {import('./indexes.js').Indexes} indexes
 * @param {import('./message.js').Request} request
 * @returns {Buffer[]} bodies of frames
 */
export function runQuery(store, indexes, request) {
  const { fields, info2 } = request;
  const matches = indexes.filterOf(fields);
  if (typeof matches === 'number') return [writeMessage({ result: matches, info3: INFO3.last })];
  const set = fields.get(FIELD.set)?.toString() ?? '';
  const isWanted = partitionFilter(fields);
  const limit = Number(fields.get(FIELD.maxRecords)?.readBigUInt64BE() ?? 0n) || Number.POSITIVE_INFINITY;
  const records = store
    .inOrder(set)
    .filter((record) => isWanted(record) && matches(record))
    .slice(0, limit);
  if (info2 & INFO2.write) {
    for (const record of records) {
      runOnRecord(
        store,
        { ...request, fields: new Map([[FIELD.set, Buffer.from(record.set)]]) },
        record.digest,
      );
    }
    return [LAST];
  }
  if ((request.info3 & INFO3.partitionDone) === 0) throw new Unsupported('a notice for each partition');
  const pieces = [];
  for (let at = 0; at < records.length; at += PIECE) {
    pieces.push(Buffer.concat(records.slice(at, at + PIECE).map((record) => replyOf(record, request))));
  }
  return [...pieces, LAST];
}

const PIECE = 50;
const LAST = writeMessage({ result: RESULT.ok, info3: INFO3.last });

/**
 * @param {import('./store.js').StoredRecord} record
 * @param {import('./message.js').Request} request
 */
function replyOf(record, request) {
  const namespace = request.fields.get(FIELD.namespace) ?? Buffer.alloc(0);
  /** @type {[number, Buffer][]} */
  const fields = [
    [FIELD.namespace, namespace],
    [FIELD.digest, record.digest],
    [FIELD.set, Buffer.from(record.set)],
  ];
  if (record.key !== undefined) fields.push([FIELD.key, record.key]);
  const all = request.ops.length === 0 && (request.info1 & INFO1.noBinData) === 0;
  const bins = all
    ? /** @type {[string, import('./message.js').Bin][]} */ ([...record.bins])
    : readBins(record, request);
  return writeMessage({ generation: record.generation, voidTime: record.voidTime, fields, bins });
}

/**
 * Whole partitions, and partitions from a record on.
 *
 * @param {ReadonlyMap<number, Buffer>} fields
 * @returns {(record: import('./store.js').StoredRecord) => boolean}
 */
function partitionFilter(fields) {
  const partitions = fields.get(FIELD.partitions);
  const digests = fields.get(FIELD.digests);
  if (partitions === undefined && digests === undefined) return () => true;
  /** @type {Map<number, Buffer | undefined>} */
  const after = new Map();
  for (let at = 0; at < (partitions?.length ?? 0); at += 2)
    after.set(partitions?.readUInt16LE(at) ?? 0, undefined);
  for (let at = 0; at < (digests?.length ?? 0); at += 20) {
    const digest = digests?.subarray(at, at + 20) ?? Buffer.alloc(20);
    after.set(partitionOf(digest), digest);
  }
  return ({ digest }) => {
    const partition = partitionOf(digest);
    if (!after.has(partition)) return false;
    const from = after.get(partition);
    return from === undefined || Buffer.compare(digest, from) > 0;
  };
}
