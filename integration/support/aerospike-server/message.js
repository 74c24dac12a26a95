// @ts-check
/**
 * @typedef {object} Bin
 * @property {number} type
 * @property {Buffer} value
 *
 * @typedef {object} Op
 * @property {number} op
 * @property {number} type
 * @property {string} name
 * @property {Buffer} value
 *
 * @typedef {object} Request
 * @property {number} info1
 * @property {number} info2
 * @property {number} info3
 * @property {number} info4
 * @property {number} generation
 * @property {number} ttl in seconds, or a special value
 * @property {Map<number, Buffer>} fields
 * @property {Op[]} ops
 *
 * @typedef {object} Reply
 * @property {number} [result]
 * @property {number} [generation]
 * @property {number} [voidTime] when the record expires, in seconds of the server's; 0 for never
 * @property {number} [batchIndex]
 * @property {number} [info3]
 * @property {[number, Buffer][]} [fields]
 * @property {[string, Bin][]} [bins]
 */

const HEADER = 22;

/**
 * @param {Buffer} body of a frame
 * @returns {Request}
 */
export function readMessage(body) {
  const fieldCount = body.readUInt16BE(18);
  const opCount = body.readUInt16BE(20);
  const { fields, ops } = readParts(body, HEADER, fieldCount, opCount);
  return {
    info1: body[1] ?? 0,
    info2: body[2] ?? 0,
    info3: body[3] ?? 0,
    info4: body[4] ?? 0,
    generation: body.readUInt32BE(6),
    ttl: body.readUInt32BE(10),
    fields,
    ops,
  };
}

/**
 * @param {Buffer} bytes
 * @param {number} from
 * @param {number} fieldCount
 * @param {number} opCount
 */
export function readParts(bytes, from, fieldCount, opCount) {
  let at = from;
  /** @type {Map<number, Buffer>} */
  const fields = new Map();
  for (let i = 0; i < fieldCount; i++) {
    const end = at + 4 + bytes.readUInt32BE(at);
    fields.set(bytes[at + 4] ?? 0, bytes.subarray(at + 5, end));
    at = end;
  }
  /** @type {Op[]} */
  const ops = [];
  for (let i = 0; i < opCount; i++) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const nameEnd = at + 8 + (bytes[at + 7] ?? 0);
    ops.push({
      op: bytes[at + 4] ?? 0,
      type: bytes[at + 5] ?? 0,
      name: bytes.toString('utf8', at + 8, nameEnd),
      value: bytes.subarray(nameEnd, end),
    });
    at = end;
  }
  return { fields, ops, end: at };
}

/** @param {Reply} reply */
export function writeMessage({
  result = 0,
  generation = 0,
  voidTime = 0,
  batchIndex = 0,
  info3 = 0,
  fields = [],
  bins = [],
}) {
  const header = Buffer.alloc(HEADER);
  header[0] = HEADER;
  header[3] = info3;
  header[5] = result;
  header.writeUInt32BE(generation, 6);
  header.writeUInt32BE(voidTime, 10);
  header.writeUInt32BE(batchIndex, 14);
  header.writeUInt16BE(fields.length, 18);
  header.writeUInt16BE(bins.length, 20);
  const parts = [header];
  for (const [type, value] of fields) {
    const head = Buffer.allocUnsafe(5);
    head.writeUInt32BE(value.length + 1);
    head[4] = type;
    parts.push(head, value);
  }
  for (const [name, bin] of bins) {
    const nameBytes = Buffer.from(name);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(4 + nameBytes.length + bin.value.length);
    head[4] = 1;
    head[5] = bin.type;
    head[7] = nameBytes.length;
    parts.push(head, nameBytes, bin.value);
  }
  return Buffer.concat(parts);
}
