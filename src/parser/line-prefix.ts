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
const MOST_SECOND_DIGITS = 10;
const FRACTION_DIGITS = 9;

export const NOT_PRINTED = -1;
/** No usual prefix: the line is for the tolerant parser. */
export const UNUSUAL = -1;

export class LinePrefix {
  tid = 0;
  /** NOT_PRINTED, as for the cpu. */
  pid = NOT_PRINTED;
  cpu = NOT_PRINTED;
  seconds = 0;
  ns = 0;
  private bytes: Uint8Array = new Uint8Array();
  /** From here to the dot of the time the last line read is as the fields say. */
  private knownStart = 0;
  private knownLength = 0;
  /** Behind the last number read. */
  private at = 0;

  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.knownLength = 0;
  }

  /** Reads the prefix that begins at `start`; where it ends, behind the colon, or UNUSUAL. */
  read(start: number): number {
    const dot = this.isKnown(start) ? start + this.knownLength : this.readToDot(start);
    return dot === UNUSUAL ? UNUSUAL : this.readFraction(dot + 1);
  }

  /** Neighbouring lines mostly differ behind the dot only. */
  private isKnown(start: number): boolean {
    const { bytes, knownStart, knownLength } = this;
    if (knownLength === 0) return false;
    for (let i = 0; i <= knownLength; i++) if (bytes[start + i] !== bytes[knownStart + i]) return false;
    return true;
  }

  private readToDot(start: number): number {
    const { bytes } = this;
    this.knownLength = 0;
    this.at = start;
    this.skipBlanks();
    const first = this.number(MOST_ID_DIGITS);
    const hasPid = bytes[this.at] === SLASH;
    if (hasPid) this.at++;
    const tid = hasPid ? this.number(MOST_ID_DIGITS) : first;
    if (first < 0 || tid <= 0 || !this.skipBlanks()) return UNUSUAL;
    const cpu = this.readCpu();
    const seconds = this.number(MOST_SECOND_DIGITS);
    if (cpu < NOT_PRINTED || seconds < 0 || bytes[this.at] !== DOT) return UNUSUAL;
    this.tid = tid;
    this.pid = hasPid ? first : NOT_PRINTED;
    this.cpu = cpu;
    this.seconds = seconds;
    this.knownStart = start;
    this.knownLength = this.at - start;
    return this.at;
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
    const { bytes } = this;
    let ns = 0;
    for (let at = start; at < start + FRACTION_DIGITS; at++) {
      const digit = bytes[at] - ZERO;
      if (!(digit >= 0 && digit <= 9)) return UNUSUAL;
      ns = ns * 10 + digit;
    }
    this.ns = ns;
    return bytes[start + FRACTION_DIGITS] === COLON ? start + FRACTION_DIGITS + 1 : UNUSUAL;
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
