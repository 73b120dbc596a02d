/**
 * Reads the numbers of DWARF sections from bytes that cannot be trusted.
 */
import { viewOf } from '../../codec/bytes.js';
import { decodeText } from '../byte-source.js';

/** The debug information contradicts itself, or uses what is not known here. Only this reader's callers see it. */
export class DwarfFault {
  constructor(
    /** It has no stack, which takes longer: hostile files have millions of faults. */
    readonly message: string,
  ) {}
}

/** Returns null instead of throwing a `DwarfFault`. */
export function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DwarfFault) return null;
    throw error;
  }
}

const HIGH_WORD = 2 ** 32;
/** A 64-bit number has at most ten bytes. */
const MAX_LEB_BYTES = 16;
/** The unit lengths from here on are no lengths; the last one announces 64-bit offsets. */
const RESERVED_LENGTHS = 0xfffffff0;
const LENGTH_64 = 0xffffffff;

export class ByteReader {
  /** Of the unit that is read: 4 or 8. */
  offsetBytes = 4;
  private readonly view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {
    this.view = viewOf(bytes);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Returns where the next `length` bytes begin, and goes past them. */
  skip(length: number): number {
    const { at } = this;
    if (!(length >= 0 && at >= 0 && at + length <= this.bytes.length)) throw new DwarfFault('ends too early');
    this.at = at + length;
    return at;
  }

  u8(): number {
    return this.view.getUint8(this.skip(1));
  }

  i8(): number {
    return this.view.getInt8(this.skip(1));
  }

  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  /** Inexact beyond 2^53: no address or length of user space is. */
  u64(): number {
    const at = this.skip(8);
    return this.view.getUint32(at + 4, true) * HIGH_WORD + this.view.getUint32(at, true);
  }

  /** Exact: ids are not rounded. */
  big(): bigint {
    return this.view.getBigUint64(this.skip(8), true);
  }

  /** Reads a number of 1, 2, 3, 4 or 8 bytes. */
  unsigned(bytes: number): number {
    if (bytes === 8) return this.u64();
    let value = 0;
    const at = this.skip(bytes);
    for (let byte = bytes - 1; byte >= 0; byte--) value = value * 256 + this.bytes[at + byte];
    return value;
  }

  offset(): number {
    return this.unsigned(this.offsetBytes);
  }

  uleb(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_LEB_BYTES; count++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new DwarfFault('a number has no end');
  }

  sleb(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_LEB_BYTES; count++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return byte >= 0x40 ? value - scale : value;
    }
    throw new DwarfFault('a number has no end');
  }

  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end === -1) throw new DwarfFault('a text has no end');
    const text = decodeText(this.bytes.subarray(this.at, end));
    this.at = end + 1;
    return text;
  }

  /** Reads the length of a unit, which tells how wide its offsets are. */
  unitLength(): number {
    const length = this.u32();
    if (length < RESERVED_LENGTHS) {
      this.offsetBytes = 4;
      return length;
    }
    if (length !== LENGTH_64) throw new DwarfFault('a length is reserved');
    this.offsetBytes = 8;
    return this.u64();
  }
}
