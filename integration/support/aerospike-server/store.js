// @ts-check
import { EPOCH_MS, PARTITIONS } from './protocol.js';

/**
 * @typedef {object} StoredRecord
 * @property {Buffer} digest
 * @property {string} set
 * @property {Buffer | undefined} key as it was sent, if it was
 * @property {number} generation
 * @property {number} voidTime when it expires, in seconds of the server's; 0 for never
 * @property {number} updatedAt milliseconds
 * @property {Map<string, import('./message.js').Bin>} bins
 */

/** Records of one namespace, by digest. One that has expired is not there any more. */
export class Store {
  /** @type {Map<string, StoredRecord>} */
  #records = new Map();

  /** @param {Buffer} digest */
  get(digest) {
    const record = this.#records.get(digest.latin1Slice());
    return record !== undefined && isLive(record) ? record : undefined;
  }

  /** @param {StoredRecord} record */
  put(record) {
    this.#records.set(record.digest.latin1Slice(), record);
  }

  /** @param {Buffer} digest */
  delete(digest) {
    return this.#records.delete(digest.latin1Slice());
  }

  /**
   * @param {string} set all of them if empty
   * @param {number} beforeMs only those that were last written before that
   */
  truncate(set, beforeMs) {
    for (const [digest, record] of this.#records) {
      if ((set === '' || record.set === set) && record.updatedAt < beforeMs) this.#records.delete(digest);
    }
  }

  /**
   * In the order in which a scan brings them: by partition, then by digest.
   *
   * @param {string} set all of them if empty
   */
  inOrder(set) {
    return [...this.#records.values()]
      .filter((record) => (set === '' || record.set === set) && isLive(record))
      .sort((a, b) => partitionOf(a.digest) - partitionOf(b.digest) || Buffer.compare(a.digest, b.digest));
  }
}

/** The server's clock: whole seconds. */
export function nowInSeconds() {
  return Math.floor((Date.now() - EPOCH_MS) / 1000);
}

/** @param {StoredRecord} record */
function isLive({ voidTime }) {
  return voidTime === 0 || voidTime >= nowInSeconds();
}

/** @param {Buffer} digest */
export function partitionOf(digest) {
  return digest.readUInt16LE(0) & (PARTITIONS - 1);
}
