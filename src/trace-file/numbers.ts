/**
 * Numbers and texts in little room: each number as its distance from one that is known, seven bits a byte.
 *
 * Distance d ≥ 0 is 2d + 1, d < 0 is −2d; 0 stands before the eight bytes of a number that has no such distance.
 */
import { ByteWriter, MOST_DIGITS, SEVEN_BITS } from '../model/byte-writer.js';
import { TraceFault } from './fault.js';

/** Twice of it and one more are exact. */
const LARGEST_DISTANCE = 2 ** 51;

export class NumberWriter extends ByteWriter {
  /** Any number; `known`: the reader knows it, too. */
  near(value: number, known: number): void {
    const distance = value - known;
    if (isExact(value, known)) return this.count(distance >= 0 ? 2 * distance + 1 : -2 * distance);
    this.count(0);
    this.float(value);
  }

  /** Eight bytes. */
  float(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.append(bytes);
  }

  /** Each near the one before. */
  column(values: ArrayLike<number>): void {
    this.count(values.length);
    let last = 0;
    for (let row = 0; row < values.length; row++) {
      this.near(values[row] as number, last);
      last = values[row] as number;
    }
  }

  text(text: string): void {
    const bytes = Buffer.from(text);
    this.count(bytes.length);
    this.append(bytes);
  }
}

function isExact(value: number, known: number): boolean {
  return (
    Number.isSafeInteger(value) &&
    Number.isSafeInteger(known) &&
    !Object.is(value, -0) &&
    Math.abs(value - known) <= LARGEST_DISTANCE
  );
}

/** Reads what a writer wrote; whatever else is there is damage. */
export class NumberReader {
  private at = 0;
  private readonly bytes: Buffer;
  private readonly what: string;

  /** `what` it reads, for messages. */
  constructor(bytes: Uint8Array, what: string) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.what = what;
  }

  count(): number {
    let value = 0;
    let weight = 1;
    for (let digit = 0; digit < MOST_DIGITS; digit++) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw this.fault('ends in the middle');
      value += (byte % SEVEN_BITS) * weight;
      if (byte < SEVEN_BITS) return value;
      weight *= SEVEN_BITS;
    }
    throw this.fault('has a number that does not end');
  }

  near(known: number): number {
    const code = this.count();
    if (code === 0) return this.float();
    return known + (code % 2 === 1 ? (code - 1) / 2 : -code / 2);
  }

  float(): number {
    if (this.at + 8 > this.bytes.length) throw this.fault('ends in the middle');
    this.at += 8;
    return this.bytes.readDoubleLE(this.at - 8);
  }

  /** A whole number within bounds. */
  nearWithin(known: number, least: number, most: number): number {
    return this.within(this.near(known), least, most);
  }

  countWithin(least: number, most: number): number {
    return this.within(this.count(), least, most);
  }

  /** How many things follow, each of so many bytes at least: what is not there is not made room for. */
  length(leastBytes = 1): number {
    return this.countWithin(0, (this.bytes.length - this.at) / leastBytes);
  }

  /** Laid into a typed array, whose bounds and kind the numbers keep. */
  column<Values extends Int32Array | Float64Array | Uint8Array>(values: Values, least: number, most: number): Values {
    if (this.count() !== values.length) throw this.fault('has columns of different lengths');
    let last = 0;
    for (let row = 0; row < values.length; row++) values[row] = last = this.nearWithin(last, least, most);
    return values;
  }

  text(): string {
    const length = this.length();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  end(): void {
    if (this.at !== this.bytes.length) throw this.fault('goes on behind its end');
  }

  fault(what: string): TraceFault {
    return new TraceFault('damaged', `${this.what} ${what}`);
  }

  private within(value: number, least: number, most: number): number {
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw this.fault(`has the number ${value}, which cannot be`);
  }
}
