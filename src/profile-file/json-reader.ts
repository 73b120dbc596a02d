/**
 * Parses JSON like JSON.parse, except that a list of numbers becomes a column in which null is NaN. The input is never
 * converted to one string, and whatever it contains, memory stays within a few times its size.
 */
import { latin1Text, utf8Text } from '../codec/bytes.js';
import { FileFault } from '../codec/file-fault.js';
import { float64Column } from '../model/columns.js';
import { checkMemory } from '../model/memory.js';

export type JsonValue = null | boolean | number | string | Float64Array | JsonList | JsonObject;
export type JsonList = readonly JsonValue[];
export type JsonObject = { readonly [key: string]: JsonValue };

/** No profile has more; a file that has is refused before it fills the memory. */
export const LIMITS = {
  /** Of one list, as nodes of one tree: up to this number the keys of a `CallTreeBuilder` are exact. */
  numbers: 2 ** 26,
  /** Texts, lists, objects, and numbers outside of columns. */
  values: 2 ** 24,
};
/** Memory is checked once per this number of values. */
const VALUES_A_CHECK = 2 ** 13;
const MAX_DEPTH = 64;
const MAX_TEXT_BYTES = 2 ** 24;
/** Whole numbers with up to this many digits are exact when computed digit by digit. */
const EXACT_DIGITS = 15;

const [BLANK, NEWLINE, RETURN, TAB] = [0x20, 0x0a, 0x0d, 0x09];
const [QUOTE, MINUS, ZERO, NINE, BACKSLASH, COMMA, COLON] = [0x22, 0x2d, 0x30, 0x39, 0x5c, 0x2c, 0x3a];
const [BEGIN_LIST, END_LIST, BEGIN_OBJECT, END_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LITERALS = [
  { text: 'null', value: null },
  { text: 'true', value: true },
  { text: 'false', value: false },
] as const;

/** `limits`: lower in tests. @throws FileFault cut, damaged or too-large */
export function parseJson(bytes: Uint8Array, limits = LIMITS): JsonValue {
  return new JsonReader(bytes, limits).document();
}

class JsonReader {
  private at = 0;
  private level = 0;
  private values = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limits: typeof LIMITS,
  ) {}

  document(): JsonValue {
    const value = this.value();
    this.skipBlanks();
    if (this.at < this.bytes.length) throw this.unexpected();
    return value;
  }

  private value(): JsonValue {
    if (this.values % VALUES_A_CHECK === 0) checkMemory();
    const { values } = this.limits;
    if (++this.values > values) throw new FileFault('too-large', `it has more than ${values} values`);
    this.skipBlanks();
    switch (this.bytes[this.at]) {
      case BEGIN_OBJECT:
        return this.inside(() => this.object());
      case BEGIN_LIST:
        return this.inside(() => this.list());
      case QUOTE:
        return this.text();
      default:
        return this.isNumber() ? this.number() : this.literal();
    }
  }

  private inside<Value>(read: () => Value): Value {
    if (++this.level > MAX_DEPTH) throw new FileFault('damaged', `it is nested more than ${MAX_DEPTH} levels deep`);
    this.at++;
    this.skipBlanks();
    const value = read();
    this.level--;
    return value;
  }

  private object(): JsonObject {
    const entries: [string, JsonValue][] = [];
    if (this.ends(END_OBJECT)) return {};
    do {
      this.skipBlanks();
      if (this.bytes[this.at] !== QUOTE) throw this.unexpected();
      const key = this.text();
      this.skipBlanks();
      if (this.bytes[this.at++] !== COLON) throw this.unexpected(this.at - 1);
      entries.push([key, this.value()]);
    } while (this.goesOn(END_OBJECT));
    return Object.fromEntries(entries); // unlike assignment, creates an own property even for "__proto__"
  }

  private list(): JsonList | Float64Array {
    if (this.ends(END_LIST)) return [];
    if (!this.isNumber() && !this.isAt('null')) return this.mixed([]);
    const column = float64Column();
    const { numbers } = this.limits;
    do {
      this.skipBlanks();
      if (this.isNumber()) column.push(this.number());
      else if (this.isAt('null')) column.push(Number(this.literal() ?? Number.NaN));
      else return this.mixed(Array.from(column.view(), (value) => (Number.isNaN(value) ? null : value)));
      if (column.length > numbers) throw new FileFault('too-large', `a list of more than ${numbers} numbers`);
    } while (this.goesOn(END_LIST));
    return column.view().slice();
  }

  private mixed(values: JsonValue[]): JsonList {
    do values.push(this.value());
    while (this.goesOn(END_LIST));
    return values;
  }

  /** Whether a list or an object is empty; if so, skips its end. */
  private ends(end: number): boolean {
    if (this.bytes[this.at] !== end) return false;
    this.at++;
    return true;
  }

  /** Skips a comma or the end; returns whether it was a comma. */
  private goesOn(end: number): boolean {
    this.skipBlanks();
    const byte = this.bytes[this.at++];
    if (byte !== COMMA && byte !== end) throw this.unexpected(this.at - 1);
    return byte === COMMA;
  }

  private isNumber(): boolean {
    const byte = this.bytes[this.at];
    return byte === MINUS || (byte >= ZERO && byte <= NINE);
  }

  private number(): number {
    const { bytes, at: begin } = this;
    let value = 0;
    let byte = bytes[this.at];
    for (; byte >= ZERO && byte <= NINE; byte = bytes[++this.at]) value = value * 10 + (byte - ZERO);
    const digits = this.at - begin;
    const isPlain = digits > 0 && digits <= EXACT_DIGITS && (bytes[begin] !== ZERO || digits === 1);
    return isPlain && (byte === COMMA || byte === END_LIST) ? value : this.anyNumber(begin);
  }

  /** Reads a number with a sign, a fraction, an exponent or many digits, or refuses it. */
  private anyNumber(begin: number): number {
    const { bytes } = this;
    while (this.at < bytes.length && /[-+.eE\d]/.test(String.fromCharCode(bytes[this.at]))) this.at++;
    if (this.at === bytes.length) throw this.unexpected();
    const text = latin1Text(bytes, begin, this.at);
    if (!NUMBER.test(text)) throw this.unexpected(begin);
    return Number(text);
  }

  private literal(): null | boolean {
    const found = LITERALS.find(({ text }) => this.isAt(text));
    if (found === undefined) throw this.unexpected(this.endsInLiteral() ? this.bytes.length : this.at);
    this.at += found.text.length;
    return found.value;
  }

  private endsInLiteral(): boolean {
    const rest = latin1Text(this.bytes, this.at, this.at + 'false'.length);
    return LITERALS.some(({ text }) => text.startsWith(rest));
  }

  private isAt(text: string): boolean {
    for (let index = 0; index < text.length; index++)
      if (this.bytes[this.at + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  private text(): string {
    const { bytes } = this;
    const begin = this.at++;
    const maxAt = begin + MAX_TEXT_BYTES;
    let isPlain = true;
    for (let byte = bytes[this.at]; byte !== QUOTE; byte = bytes[++this.at]) {
      if (byte === undefined || byte < 0x20) throw this.unexpected();
      if (this.at > maxAt) throw new FileFault('too-large', `a text of more than ${MAX_TEXT_BYTES} bytes`);
      if (byte !== BACKSLASH) continue;
      isPlain = false;
      this.at++;
    }
    const end = ++this.at;
    return isPlain ? utf8Text(bytes, begin + 1, end - 1) : this.unescaped(begin, end);
  }

  private unescaped(begin: number, end: number): string {
    try {
      return JSON.parse(utf8Text(this.bytes, begin, end)) as string;
    } catch {
      throw new FileFault('damaged', `at byte ${begin}: invalid escape in a text`);
    }
  }

  private skipBlanks(): void {
    while (isBlank(this.bytes[this.at])) this.at++;
  }

  private unexpected(at = this.at): FileFault {
    const byte = this.bytes[at];
    if (byte === undefined) return new FileFault('cut', 'unexpected end of file');
    return new FileFault('damaged', `at byte ${at}: unexpected ${JSON.stringify(String.fromCharCode(byte))}`);
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === NEWLINE || byte === RETURN || byte === TAB;
}
