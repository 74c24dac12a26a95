// @ts-check
import { FIELD, HARMLESS_FIELDS } from './protocol.js';

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
  FIELD.batchIndex,
  ...HARMLESS_FIELDS,
]);

/**
 * Refuses a message with a field that would change what is asked for: a transaction, a filter, a function.
 *
 * @param {ReadonlyMap<number, Buffer>} fields
 */
export function checkFields(fields) {
  for (const type of fields.keys()) {
    if (!KNOWN_FIELDS.has(type)) throw new Unsupported(`field ${type}${NAMES.get(type) ?? ''}`);
  }
}

const NAMES = new Map([
  [FIELD.transactionId, ' (a transaction)'],
  [FIELD.udfModule, ' (a user-defined function)'],
  [FIELD.udfFunction, ' (a user-defined function)'],
  [FIELD.udfOperation, ' (a user-defined function)'],
  [FIELD.filterExpression, ' (a filter expression)'],
]);
