/**
 * Parses the usual beginning of a line from bytes: `mysqld 114078 [003] 858572.850211120:`, with or without the name of the
 * thread, a pid before the tid, and a CPU. Any other beginning is left to the reference parser (perf-line.ts).
 */
import { latin1Text } from '../../codec/bytes.js';

const BLANK = 32;
const HASH = 35;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const EQUALS = 61;
const LAST_ASCII = 126;
const SLASH = 47;
const COLON = 58;
const DOT = 46;
const OPEN = 91;
const CLOSE = 93;

const MAX_ID_DIGITS = 9;
const MAX_CPU_DIGITS = 5;
/** How perf begins a line that is no event, and one of a guest. */
const OTHERS = ['instruction trace error', 'VM:'];
const MAX_NAME_LENGTH = 64;
/** 31 years of uptime. */
const MAX_SECOND_DIGITS = 9;
/** Of a fraction of a second: without `--ns`, perf prints microseconds. */
const NANOSECOND_DIGITS = 9;
const MICROSECOND_DIGITS = 6;

export const NOT_PRINTED = -1;
/** Not a usual prefix: the line is for the reference parser. */
export const UNUSUAL = -1;

/** The beginning that many lines share: everything up to the dot of the time. */
export interface Head {
  /** Bytes as latin1 characters; null: not printed. */
  readonly comm: string | null;
  readonly tid: number;
  readonly pid: number; // or NOT_PRINTED, like the CPU
  readonly cpu: number;
  readonly seconds: number;
}

export class LinePrefix {
  comm: string | null = null;
  tid = 0;
  pid = NOT_PRINTED;
  cpu = NOT_PRINTED;
  seconds = 0;
  ns = 0;
  /** Offset of the dot of the time. */
  dot = 0;
  private bytes: Uint8Array = new Uint8Array();
  /** Offset after the last number read. */
  private at = 0;

  /** Parses the prefix at `start`. Returns its end, after the colon, or UNUSUAL. */
  read(bytes: Uint8Array, start: number): number {
    this.bytes = bytes;
    if (bytes[start] === HASH) return UNUSUAL; // a comment
    return this.readToDot(start) ? this.readFraction(this.dot + 1) : UNUSUAL;
  }

  private readToDot(start: number): boolean {
    const { bytes } = this;
    this.at = start;
    this.skipBlanks();
    if (!this.readName()) return false;
    const first = this.number(MAX_ID_DIGITS);
    const hasPid = bytes[this.at] === SLASH;
    if (hasPid) this.at++;
    const tid = hasPid ? this.number(MAX_ID_DIGITS) : first;
    if (first < 0 || tid <= 0 || !this.skipBlanks()) return false;
    this.cpu = this.readCpu();
    this.seconds = this.number(MAX_SECOND_DIGITS);
    this.tid = tid;
    this.pid = hasPid ? first : NOT_PRINTED;
    this.dot = this.at;
    return this.cpu >= NOT_PRINTED && this.seconds >= 0 && bytes[this.at] === DOT;
  }

  /**
   * Reads the name of the thread, if there is one. Where a number follows for the first time, it is the thread's: names in which
   * that is not so are unusual, and those with a "=", as samples have it.
   */
  private readName(): boolean {
    const { bytes } = this;
    this.comm = null;
    const start = this.at;
    if (isDigit(bytes[start])) return true;
    for (let end = start; ; ) {
      const first = bytes[this.at];
      if (isDigit(first)) {
        this.comm = latin1Text(bytes, start, end);
        return !OTHERS.some((other) => this.comm?.startsWith(other));
      }
      if (first === MINUS) return false;
      while (isOfName(bytes[this.at])) this.at++;
      end = this.at;
      if (end - start > MAX_NAME_LENGTH || !this.skipBlanks()) return false;
    }
  }

  /** Returns the number in brackets, NOT_PRINTED without brackets, or less than that if they hold something else. */
  private readCpu(): number {
    if (this.bytes[this.at] !== OPEN) return NOT_PRINTED;
    this.at++;
    const cpu = this.number(MAX_CPU_DIGITS);
    const isClosed = this.bytes[this.at++] === CLOSE;
    return cpu >= 0 && isClosed && this.skipBlanks() ? cpu : NOT_PRINTED - 1;
  }

  private readFraction(start: number): number {
    this.at = start;
    const fraction = this.number(NANOSECOND_DIGITS);
    const digits = this.at - start;
    if (fraction < 0 || (digits !== NANOSECOND_DIGITS && digits !== MICROSECOND_DIGITS)) return UNUSUAL;
    this.ns = digits === NANOSECOND_DIGITS ? fraction : 1000 * fraction;
    return this.bytes[this.at] === COLON ? this.at + 1 : UNUSUAL;
  }

  /** Returns a decimal number of at most `maxDigits` digits, or -1. */
  private number(maxDigits: number): number {
    const { bytes } = this;
    const start = this.at;
    let value = 0;
    for (let digit = bytes[this.at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++this.at] - ZERO)
      value = value * 10 + digit;
    const digits = this.at - start;
    return digits === 0 || digits > maxDigits ? -1 : value;
  }

  /** Returns false if there was no blank. */
  private skipBlanks(): boolean {
    const start = this.at;
    while (this.bytes[this.at] === BLANK) this.at++;
    return this.at > start;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isOfName(byte: number | undefined): boolean {
  return byte !== undefined && byte > BLANK && byte <= LAST_ASCII && byte !== EQUALS;
}
