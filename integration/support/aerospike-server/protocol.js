// @ts-check
/**
 * The numbers of Aerospike's wire protocol that the test double knows, as the C client's headers (`as_msg`, `as_operations.h`,
 * `as_bytes.h`) have them.
 */

/** Kinds of frames. */
export const FRAME = { info: 1, admin: 2, message: 3 };

/** First flags of a message. */
export const INFO1 = {
  read: 1,
  getAll: 2,
  shortQuery: 4,
  batch: 8,
  noBinData: 32,
  readModeAll: 64,
  compressReply: 128,
};
export const INFO2 = {
  write: 1,
  remove: 2,
  generation: 4,
  generationGreater: 8,
  durableDelete: 16,
  createOnly: 32,
  relaxedLongQuery: 64,
  respondAllOps: 128,
};
export const INFO3 = {
  last: 1,
  commitMaster: 2,
  /** No notice is wanted for each partition. Clients that want them are too old for a server of version 8. */
  partitionDone: 4,
  updateOnly: 8,
  createOrReplace: 16,
  replaceOnly: 32,
  linearizedRead: 64,
  relaxedRead: 128,
};

/** Flags of a batch. */
export const BATCH = { inline: 1, inlineSsd: 2, respondAllKeys: 4, always: 8 };

export const FIELD = {
  namespace: 0,
  set: 1,
  key: 2,
  recordVersion: 3,
  digest: 4,
  transactionId: 5,
  transactionDeadline: 6,
  queryId: 7,
  partitions: 11,
  digests: 12,
  maxRecords: 13,
  indexRange: 22,
  indexType: 26,
  udfModule: 30,
  udfFunction: 31,
  udfOperation: 33,
  batchIndex: 41,
  filterExpression: 43,
};

/** May be passed over: a socket's timeout, a rate, and the values (beside the digests) where an index query goes on. */
export const HARMLESS_FIELDS = new Set([9, 10, 15]);

export const OP = { read: 1, write: 2, increment: 5, append: 9, prepend: 10, touch: 11, remove: 14 };

/** Types of values. */
export const PARTICLE = { nil: 0, integer: 1, double: 2, string: 3, blob: 4, boolean: 17, map: 19, list: 20 };

/** What is sent for a time to live, in place of seconds. */
export const TTL = { ofNamespace: 0, unchanged: 0xff_ff_ff_fe, never: 0xff_ff_ff_ff };
/** Ten years, in seconds. */
export const LONGEST_TTL = 315_360_000;
/** 2010-01-01, in milliseconds: what the server counts its seconds from. */
export const EPOCH_MS = 1_262_304_000_000;

export const RESULT = {
  ok: 0,
  notFound: 2,
  generation: 3,
  parameter: 4,
  exists: 5,
  incompatibleType: 12,
  tooBig: 13,
  unsupported: 16,
  namespaceNotFound: 20,
  binName: 21,
  enterpriseOnly: 25,
  securityNotSupported: 51,
  indexFound: 200,
  indexNotFound: 201,
};

/** The server's `max-record-size`. */
export const LARGEST_RECORD = 1_048_576;
export const LONGEST_BIN_NAME = 15;

export const PARTITIONS = 4096;
