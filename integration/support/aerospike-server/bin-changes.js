// @ts-check
import { OP, PARTICLE, RESULT } from './protocol.js';
import { Unsupported } from './unsupported.js';

/** The bins of a record while operations are applied to them, and what these answer. */
export class BinChanges {
  /** @type {Map<string, import('./message.js').Bin>} */
  bins;
  /** @type {[string, import('./message.js').Bin][]} */
  answers = [];
  #answersAll;
  #readsAll;

  /**
   * @param {ReadonlyMap<string, import('./message.js').Bin> | undefined} before
   * @param {boolean} answersAll each operation has an answer, if only that there is none
   * @param {boolean} readsAll a read without a name is one of all bins
   */
  constructor(before, answersAll, readsAll) {
    this.bins = new Map(before);
    this.#answersAll = answersAll;
    this.#readsAll = readsAll;
  }

  /**
   * @param {import('./message.js').Op} operation
   * @returns {number} a result's code
   */
  apply({ op, type, name, value }) {
    const { bins } = this;
    const present = bins.get(name);
    switch (op) {
      case OP.read:
        if (name === '' && this.#readsAll) this.answers.push(...bins);
        else if (present !== undefined) this.answers.push([name, present]);
        else if (this.#answersAll) this.answers.push([name, NOTHING]);
        return RESULT.ok;
      case OP.write:
        if (type === PARTICLE.nil) bins.delete(name);
        else if (!VALUES.has(type)) throw new Unsupported(`a value of type ${type}`);
        else bins.set(name, { type, value: Buffer.from(value) });
        break;
      case OP.increment: {
        const sum = added(present, { type, value });
        if (sum === undefined) return RESULT.incompatibleType;
        bins.set(name, sum);
        break;
      }
      case OP.append:
      case OP.prepend: {
        if (!BYTES.has(type) || (present !== undefined && present.type !== type)) {
          return RESULT.incompatibleType;
        }
        const parts = [present?.value ?? Buffer.alloc(0), value];
        bins.set(name, { type, value: Buffer.concat(op === OP.append ? parts : parts.reverse()) });
        break;
      }
      case OP.touch:
        return RESULT.ok;
      case OP.remove:
        bins.clear();
        break;
      default:
        throw new Unsupported(`operation ${op}`);
    }
    if (this.#answersAll) this.answers.push([name, NOTHING]);
    return RESULT.ok;
  }
}

const NOTHING = { type: PARTICLE.nil, value: Buffer.alloc(0) };
const BYTES = new Set([PARTICLE.string, PARTICLE.blob]);
/** Kept as they come. A GeoJSON or a HyperLogLog would have to be looked into. */
const VALUES = new Set([
  ...[PARTICLE.integer, PARTICLE.double, PARTICLE.boolean],
  ...[PARTICLE.string, PARTICLE.blob, PARTICLE.list, PARTICLE.map],
]);

/**
 * @param {import('./message.js').Bin | undefined} bin
 * @param {import('./message.js').Bin} by
 */
function added(bin, by) {
  if (bin !== undefined && bin.type !== by.type) return undefined;
  const value = Buffer.alloc(8);
  if (by.type === PARTICLE.integer) {
    value.writeBigInt64BE(BigInt.asIntN(64, (bin?.value.readBigInt64BE() ?? 0n) + by.value.readBigInt64BE()));
  } else if (by.type === PARTICLE.double) {
    value.writeDoubleBE((bin?.value.readDoubleBE() ?? 0) + by.value.readDoubleBE());
  } else return undefined;
  return { type: by.type, value };
}
