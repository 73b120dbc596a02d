/**
 * The usual beginning of a line, read from bytes: `114078 [003] 858572.850211120:`, the cpu or a pid before the tid may be
 * missing or there. Whatever looks otherwise is not read here: the tolerant parser (perf-line.ts) reads all lines.
 */
const BLANK = 32;
const ZERO = 48;
const SLASH = 47;
const COLON = 58;
const DOT = 46;
const OPEN = 91;
const CLOSE = 93;

const MOST_ID_DIGITS = 9;
const MOST_CPU_DIGITS = 5;
/** 31 years of uptime. */
const MOST_SECOND_DIGITS = 9;
const FRACTION_DIGITS = 9;

export const NOT_PRINTED = -1;
/** No usual prefix: the line is for the tolerant parser. */
export const UNUSUAL = -1;

/** What many lines begin with: all up to the dot of the time. */
export interface Head {
  readonly tid: number;
  readonly pid: number; // NOT_PRINTED, as for the cpu
  readonly cpu: number;
  readonly seconds: number;
}

export class LinePrefix {
  tid = 0;
  pid = NOT_PRINTED;
  cpu = NOT_PRINTED;
  seconds = 0;
  ns = 0;
  /** Where the dot of the time stands. */
  dot = 0;
  private bytes: Uint8Array = new Uint8Array();
  /** Behind the last number read. */
  private at = 0;

  /** Reads the prefix that begins at `start`; where it ends, behind the colon, or UNUSUAL. */
  read(bytes: Uint8Array, start: number): number {
    this.bytes = bytes;
    return this.readToDot(start) ? this.readFraction(this.dot + 1) : UNUSUAL;
  }

  private readToDot(start: number): boolean {
    const { bytes } = this;
    this.at = start;
    this.skipBlanks();
    const first = this.number(MOST_ID_DIGITS);
    const hasPid = bytes[this.at] === SLASH;
    if (hasPid) this.at++;
    const tid = hasPid ? this.number(MOST_ID_DIGITS) : first;
    if (first < 0 || tid <= 0 || !this.skipBlanks()) return false;
    this.cpu = this.readCpu();
    this.seconds = this.number(MOST_SECOND_DIGITS);
    this.tid = tid;
    this.pid = hasPid ? first : NOT_PRINTED;
    this.dot = this.at;
    return this.cpu >= NOT_PRINTED && this.seconds >= 0 && bytes[this.at] === DOT;
  }

  /** The number between brackets, NOT_PRINTED if there are none, or less than that if they hold something else. */
  private readCpu(): number {
    if (this.bytes[this.at] !== OPEN) return NOT_PRINTED;
    this.at++;
    const cpu = this.number(MOST_CPU_DIGITS);
    const isClosed = this.bytes[this.at++] === CLOSE;
    return cpu >= 0 && isClosed && this.skipBlanks() ? cpu : NOT_PRINTED - 1;
  }

  private readFraction(start: number): number {
    this.at = start;
    this.ns = this.number(FRACTION_DIGITS);
    const isNanoseconds = this.at === start + FRACTION_DIGITS;
    return isNanoseconds && this.bytes[this.at] === COLON ? this.at + 1 : UNUSUAL;
  }

  /** A number of digits only, not too many; -1 if there is none. */
  private number(mostDigits: number): number {
    const { bytes } = this;
    const start = this.at;
    let value = 0;
    for (let digit = bytes[this.at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++this.at] - ZERO)
      value = value * 10 + digit;
    const digits = this.at - start;
    return digits === 0 || digits > mostDigits ? -1 : value;
  }

  /** False if there was none. */
  private skipBlanks(): boolean {
    const start = this.at;
    while (this.bytes[this.at] === BLANK) this.at++;
    return this.at > start;
  }
}
