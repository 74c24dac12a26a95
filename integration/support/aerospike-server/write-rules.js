// @ts-check
import { INFO1, INFO2, INFO3, LONGEST_BIN_NAME, OP, PARTICLE, RESULT } from './protocol.js';

/**
 * What a write may not ask for, whatever the record: the server's `write_master_policies`.
 *
 * @param {import('./message.js').Request} request
 * @returns {number | undefined} an error's code
 */
export function refusalOfWrite({ info1, info2, info3, ops }) {
  if (ops.length === 0) return RESULT.parameter;
  const replaces = (info3 & (INFO3.createOrReplace | INFO3.replaceOnly)) !== 0;
  const getAll = (info1 & INFO1.getAll) !== 0;
  let allReads = 0;
  let reads = 0;
  for (const { op, type, name } of ops) {
    if (op !== OP.touch && Buffer.byteLength(name) > LONGEST_BIN_NAME) return RESULT.binName;
    if (replaces && (MODIFIES.has(op) || (op === OP.write && type === PARTICLE.nil))) return RESULT.parameter;
    if (op === OP.read) {
      if (name === '' && getAll) allReads++;
      else reads++;
    }
  }
  if (allReads > 1 || (allReads === 1 && (reads > 0 || info2 & INFO2.respondAllOps))) return RESULT.parameter;
  if (getAll && allReads === 0) return RESULT.parameter;
  return undefined;
}

/** Not to be mixed with replacing the record. */
const MODIFIES = new Set([OP.increment, OP.append, OP.prepend, OP.touch]);
