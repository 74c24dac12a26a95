// @ts-check
import { BATCH, FIELD, HARMLESS_FIELDS, INFO1, INFO2, INFO3 } from './protocol.js';

/** Something that the test double does not implement: it is answered with an error, told of and counted. */
export class Unsupported extends Error {}

const KNOWN_FIELDS = new Set([
  FIELD.namespace,
  FIELD.set,
  FIELD.key,
  FIELD.digest,
  FIELD.queryId,
  FIELD.partitions,
  FIELD.digests,
  FIELD.maxRecords,
  FIELD.indexRange,
  FIELD.indexType,
  FIELD.batchIndex,
  ...HARMLESS_FIELDS,
]);

/**
 * Refuses a message with a field or a flag that would change what is asked for.
 *
 * @param {import('./message.js').Request} request
 */
export function checkRequest({ info1, info2, info3, info4, fields }) {
  for (const [type, value] of fields) {
    if (!KNOWN_FIELDS.has(type)) throw new Unsupported(`field ${type}${NAMES.get(type) ?? ''}`);
    if (type === FIELD.indexType && value[0] !== 0)
      throw new Unsupported('a query by an index of lists or maps');
  }
  if (info1 & ~anyOf(INFO1)) throw new Unsupported(`flags 1: ${info1}`);
  if (info2 & ~anyOf(INFO2)) throw new Unsupported(`flags 2: ${info2}`);
  if (info3 & ~anyOf(INFO3)) throw new Unsupported(`flags 3: ${info3}`);
  if (info4 !== 0) throw new Unsupported(`flags 4: ${info4}`);
}

/** @param {number} flags */
export function checkBatchFlags(flags) {
  if (flags & ~anyOf(BATCH)) throw new Unsupported(`flags of a batch: ${flags}`);
  if ((flags & BATCH.respondAllKeys) === 0) throw new Unsupported('a batch that ends at its first error');
}

/** @param {Readonly<Record<string, number>>} flags */
function anyOf(flags) {
  return Object.values(flags).reduce((all, flag) => all | flag, 0);
}

const NAMES = new Map([
  [FIELD.udfModule, ' (a user-defined function)'],
  [FIELD.udfFunction, ' (a user-defined function)'],
  [FIELD.udfOperation, ' (a user-defined function)'],
  [FIELD.filterExpression, ' (a filter expression)'],
]);
