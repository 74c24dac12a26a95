// @ts-check
/**
 * The numbers of Aerospike's wire protocol that the test double knows, as the C client's headers (`as_msg`, `as_operations.h`,
 * `as_bytes.h`) have them.
 */

/** Kinds of frames. */
export const FRAME = { info: 1, admin: 2, message: 3 };

/** First flags of a message. */
export const INFO1 = { read: 1, getAll: 2, batch: 8, noBinData: 32 };
export const INFO2 = {
  write: 1,
  remove: 2,
  generation: 4,
  generationGreater: 8,
  createOnly: 32,
  respondAllOps: 128,
};
export const INFO3 = { last: 1, updateOnly: 8, createOrReplace: 16, replaceOnly: 32 };

export const FIELD = {
  namespace: 0,
  set: 1,
  key: 2,
  digest: 4,
  transactionId: 5,
  queryId: 7,
  partitions: 11,
  digests: 12,
  maxRecords: 13,
  indexRange: 22,
  udfModule: 30,
  udfFunction: 31,
  udfOperation: 33,
  batchIndex: 41,
  filterExpression: 43,
};

/** Fields that may be passed over without changing what is asked for. */
export const HARMLESS_FIELDS = new Set([8, 9, 10, 15, 21, 26, 32, 40]);

export const OP = { read: 1, write: 2, increment: 5, append: 9, prepend: 10, touch: 11, remove: 14 };

/** Types of values. */
export const PARTICLE = { nil: 0, integer: 1, double: 2, string: 3, blob: 4 };

export const RESULT = {
  ok: 0,
  notFound: 2,
  generation: 3,
  exists: 5,
  incompatibleType: 12,
  unsupported: 16,
  namespaceNotFound: 20,
  securityNotEnabled: 52,
  indexNotFound: 201,
};

export const PARTITIONS = 4096;
