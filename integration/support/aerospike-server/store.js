// @ts-check
import { PARTITIONS } from './protocol.js';

/**
 * @typedef {object} StoredRecord
 * @property {Buffer} digest
 * @property {string} set
 * @property {Buffer | undefined} key as it was sent, if it was
 * @property {number} generation
 * @property {Map<string, import('./message.js').Bin>} bins
 */

/** Records of one namespace, by digest. Nothing expires. */
export class Store {
  /** @type {Map<string, StoredRecord>} */
  #records = new Map();

  /** @param {Buffer} digest */
  get(digest) {
    return this.#records.get(digest.latin1Slice());
  }

  /** @param {StoredRecord} record */
  put(record) {
    this.#records.set(record.digest.latin1Slice(), record);
  }

  /** @param {Buffer} digest */
  delete(digest) {
    return this.#records.delete(digest.latin1Slice());
  }

  /** @param {string} set all of them if empty */
  truncate(set) {
    for (const [digest, record] of this.#records) {
      if (set === '' || record.set === set) this.#records.delete(digest);
    }
  }

  /**
   * In the order in which a scan brings them: by partition, then by digest.
   *
   * @param {string} set all of them if empty
   */
  inOrder(set) {
    return [...this.#records.values()]
      .filter((record) => set === '' || record.set === set)
      .sort((a, b) => partitionOf(a.digest) - partitionOf(b.digest) || Buffer.compare(a.digest, b.digest));
  }
}

/** @param {Buffer} digest */
export function partitionOf(digest) {
  return digest.readUInt16LE(0) & (PARTITIONS - 1);
}
