import { Duplex } from 'node:stream';

/**
 * In place of a socket: answers pg's messages at once, as PostgreSQL answers `select 1`. What is left of a query is what
 * the process itself does for it, without the kernel's and the server's share, which vary by more than a gate costs.
 */
export class CannedSocket extends Duplex {
  #started = false;

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.#started) {
      this.#started = true;
      this.#answer(STARTED);
    } else if (chunk[0] === QUERY) this.#answer(ANSWER);
    else this.push(null);
    done();
  }

  /** On a later turn of the loop, as bytes of a network come. */
  #answer(bytes: Buffer): void {
    setImmediate(() => this.push(bytes));
  }
}

const QUERY = 'Q'.charCodeAt(0);
const READY = message('Z', Buffer.from('I'));
/** AuthenticationOk, ReadyForQuery. */
const STARTED = Buffer.concat([message('R', int32(0)), READY]);
/** One column `?column?` of type int4, one row, CommandComplete, ReadyForQuery. */
const ANSWER = Buffer.concat([
  message('T', int16(1), text('?column?'), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)),
  message('D', int16(1), int32(1), Buffer.from('1')),
  message('C', text('SELECT 1')),
  READY,
]);

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}
