// @ts-check
/** Cuts a connection's bytes into frames: version (1), kind (1), length (6), body. */
export class FrameReader {
  #buffered = Buffer.alloc(0);

  /**
   * @param {Buffer} chunk
   * @returns {{ kind: number, body: Buffer }[]}
   */
  read(chunk) {
    let bytes = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const frames = [];
    while (bytes.length >= HEADER) {
      const end = HEADER + bytes.readUIntBE(2, 6);
      if (bytes.length < end) break;
      frames.push({ kind: bytes[1] ?? 0, body: bytes.subarray(HEADER, end) });
      bytes = bytes.subarray(end);
    }
    this.#buffered = bytes;
    return frames;
  }
}

/**
 * @param {number} kind
 * @param {Buffer} body
 */
export function frame(kind, body) {
  const bytes = Buffer.allocUnsafe(HEADER + body.length);
  bytes[0] = 2;
  bytes[1] = kind;
  bytes.writeUIntBE(body.length, 2, 6);
  body.copy(bytes, HEADER);
  return bytes;
}

const HEADER = 8;
