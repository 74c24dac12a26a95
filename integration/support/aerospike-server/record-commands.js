// @ts-check
import { FIELD, INFO1, INFO2, INFO3, OP, PARTICLE, RESULT } from './protocol.js';
import { Unsupported } from './unsupported.js';

/**
 * One command on one record: read, write, operate, remove, as a single command or as an element of a batch.
 *
 * @param {import('./store.js').Store} store
 * @param {import('./message.js').Request} request
 * @param {Buffer} digest
 * @returns {import('./message.js').Reply}
 */
export function runOnRecord(store, request, digest) {
  const { info1, info2, info3, fields, ops } = request;
  const before = store.get(digest);
  if ((info2 & INFO2.write) === 0) {
    if (before === undefined) return { result: RESULT.notFound };
    return { generation: before.generation, bins: info1 & INFO1.noBinData ? [] : readBins(before, request) };
  }
  const refusal = policyRefusal(before, request);
  if (refusal !== undefined) return { result: refusal };
  if (info2 & INFO2.remove) return { result: store.delete(digest) ? RESULT.ok : RESULT.notFound };
  const replaces = (info3 & (INFO3.createOrReplace | INFO3.replaceOnly)) !== 0;
  /** @type {import('./store.js').StoredRecord} */
  const record = {
    digest: Buffer.from(digest),
    set: fields.get(FIELD.set)?.toString() ?? before?.set ?? '',
    key: copyOf(fields.get(FIELD.key)) ?? before?.key,
    generation: (before?.generation ?? 0) + 1,
    bins: new Map(replaces ? [] : before?.bins),
  };
  if (before === undefined && ops.every(({ op }) => op === OP.touch || op === OP.remove || op === OP.read)) {
    return { result: RESULT.notFound };
  }
  /** @type {[string, import('./message.js').Bin][]} */
  const answers = [];
  for (const operation of ops) {
    const result = apply(record, operation, answers, (info2 & INFO2.respondAllOps) !== 0);
    if (result !== RESULT.ok) return { result };
  }
  if (info1 & INFO1.getAll) answers.push(...record.bins);
  if (record.bins.size === 0) store.delete(digest);
  else store.put(record);
  return { generation: record.generation, bins: answers };
}

/**
 * @param {import('./store.js').StoredRecord} record
 * @param {import('./message.js').Request} request
 * @returns {[string, import('./message.js').Bin][]}
 */
export function readBins(record, { info1, ops }) {
  if (info1 & INFO1.noBinData) return [];
  if (info1 & INFO1.getAll || ops.length === 0) return [...record.bins];
  return ops.flatMap(({ op, name }) => {
    if (op !== OP.read) throw new Unsupported(`operation ${op} in a read`);
    const bin = record.bins.get(name);
    return bin === undefined ? [] : [/** @type {[string, import('./message.js').Bin]} */ ([name, bin])];
  });
}

/**
 * @param {import('./store.js').StoredRecord | undefined} before
 * @param {import('./message.js').Request} request
 */
function policyRefusal(before, { info2, info3, generation }) {
  if (info2 & INFO2.createOnly && before !== undefined) return RESULT.exists;
  if (info3 & (INFO3.updateOnly | INFO3.replaceOnly) && before === undefined) return RESULT.notFound;
  const present = before?.generation ?? 0;
  if (info2 & INFO2.generation && generation !== present) return RESULT.generation;
  if (info2 & INFO2.generationGreater && generation <= present) return RESULT.generation;
  return undefined;
}

/**
 * @param {import('./store.js').StoredRecord} record
 * @param {import('./message.js').Op} operation
 * @param {[string, import('./message.js').Bin][]} answers
 * @param {boolean} answerAll
 */
function apply(record, { op, type, name, value }, answers, answerAll) {
  const { bins } = record;
  const present = bins.get(name);
  switch (op) {
    case OP.read:
      if (name === '') answers.push(...bins);
      else if (present !== undefined) answers.push([name, present]);
      return RESULT.ok;
    case OP.write:
      if (type === PARTICLE.nil) bins.delete(name);
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
      if (present !== undefined && present.type !== type) return RESULT.incompatibleType;
      const parts = [present?.value ?? Buffer.alloc(0), value];
      bins.set(name, { type, value: Buffer.concat(op === OP.append ? parts : parts.reverse()) });
      break;
    }
    case OP.touch:
      break;
    case OP.remove:
      bins.clear();
      break;
    default:
      throw new Unsupported(`operation ${op}`);
  }
  if (answerAll) answers.push([name, { type: PARTICLE.nil, value: Buffer.alloc(0) }]);
  return RESULT.ok;
}

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

/** @param {Buffer | undefined} bytes */
function copyOf(bytes) {
  return bytes && Buffer.from(bytes);
}
