// @ts-check
import { FIELD, PARTICLE, RESULT } from './protocol.js';
import { Unsupported } from './unsupported.js';

/**
 * @typedef {object} Index
 * @property {string} name
 * @property {string} set
 * @property {string} bin
 * @property {string} type `numeric` or `string`
 */

/** Secondary indexes: a query needs one for its bin, as with a real server; it is not faster by it. */
export class Indexes {
  /** @type {Map<string, Index>} */
  #byName = new Map();

  /**
   * What there is already may be asked for again. Under another name, it is renamed.
   *
   * @param {Index} index
   * @returns whether it is there now; not if its name stands for another
   */
  create(index) {
    if (!TYPES.has(index.type)) throw new Unsupported(`an index of type ${index.type}`);
    const namesake = this.#byName.get(index.name);
    if (namesake !== undefined) return isSame(namesake, index);
    for (const each of this.#byName.values()) if (isSame(each, index)) this.#byName.delete(each.name);
    this.#byName.set(index.name, index);
    return true;
  }

  /** @param {string} name */
  remove(name) {
    this.#byName.delete(name);
  }

  /** @param {string} name */
  has(name) {
    return this.#byName.has(name);
  }

  /**
   * @param {ReadonlyMap<number, Buffer>} fields of a query
   * @returns {((record: import('./store.js').StoredRecord) => boolean) | number} or an error's code
   */
  filterOf(fields) {
    const range = fields.get(FIELD.indexRange);
    if (range === undefined) return () => true;
    const { bin, type, begin, end } = readRange(range);
    if (type === PARTICLE.integer && begin.readBigInt64BE() > end.readBigInt64BE()) return RESULT.parameter;
    const set = fields.get(FIELD.set)?.toString() ?? '';
    const usable = [...this.#byName.values()].some(
      // An index without a set is one of all records.
      (index) =>
        index.bin === bin && (index.set === set || index.set === '') && TYPES.get(index.type) === type,
    );
    if (!usable) return RESULT.indexNotFound;
    return ({ bins }) => {
      const present = bins.get(bin);
      if (present?.type !== type) return false;
      if (type === PARTICLE.string) return present.value.equals(begin);
      const value = present.value.readBigInt64BE();
      return value >= begin.readBigInt64BE() && value <= end.readBigInt64BE();
    };
  }
}

const TYPES = new Map([
  ['numeric', PARTICLE.integer],
  ['string', PARTICLE.string],
]);

/**
 * @param {Index} one
 * @param {Index} other
 */
function isSame(one, other) {
  return one.set === other.set && one.bin === other.bin && one.type === other.type;
}

/** @param {Buffer} range count (1), bin name, type (1), and two values with their lengths */
function readRange(range) {
  const nameEnd = 2 + (range[1] ?? 0);
  const type = range[nameEnd] ?? 0;
  if (range[0] !== 1 || (type !== PARTICLE.integer && type !== PARTICLE.string)) {
    throw new Unsupported(`a query for values of type ${type}`);
  }
  const beginEnd = nameEnd + 5 + range.readUInt32BE(nameEnd + 1);
  return {
    bin: range.toString('utf8', 2, nameEnd),
    type,
    begin: range.subarray(nameEnd + 5, beginEnd),
    end: range.subarray(beginEnd + 4),
  };
}
