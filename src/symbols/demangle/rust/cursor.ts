/**
 * The position of the reader in a mangled Rust name, and what it has printed.
 */
import { fail } from '../not-mangled.js';
import { decodePunycode } from './punycode.js';

const MAX_DEPTH = 200;
const MAX_STEPS = 100_000;
const MAX_LENGTH = 100_000;

export class RustCursor {
  at = 0;
  printed = '';
  /** Above 0 while reading something that is not printed. */
  hidden = 0;
  /** Lifetimes named by the enclosing `for<…>`. */
  lifetimes = 0;
  private depth = 0;
  private steps = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  peek(): string {
    return this.text[this.at] ?? '';
  }

  next(): string {
    if (this.at >= this.text.length) fail();
    return this.text[this.at++];
  }

  skip(character: string): boolean {
    const isNext = this.peek() === character;
    if (isNext) this.at++;
    return isNext;
  }

  write(text: string): void {
    if (this.hidden > 0) return;
    this.printed += text;
    if (this.printed.length > MAX_LENGTH) fail();
  }

  nested(read: () => void): void {
    if (++this.depth > MAX_DEPTH || ++this.steps > MAX_STEPS) fail();
    read();
    this.depth--;
  }

  /** `B` and an earlier position, which is read again, unless it is not printed. */
  backReference(read: () => void): void {
    const from = this.at - 1;
    const target = this.number62();
    if (this.hidden > 0) return;
    if (target >= from) fail();
    const { at } = this;
    this.at = target;
    this.nested(read);
    this.at = at;
  }

  /** `_` is 0, `0_` is 1, … */
  number62(): number {
    if (this.skip('_')) return 0;
    let value = 0;
    while (!this.skip('_')) {
      const digit = DIGITS.indexOf(this.next());
      value = value * 62 + digit;
      if (digit === -1) fail(); // a hash of 64 bits is not exact here, but is not printed
    }
    return value + 1;
  }

  /** Returns 0 if the letter that introduces it is missing. */
  optionalNumber62(letter: string): number {
    return this.skip(letter) ? this.number62() + 1 : 0;
  }

  identifier(): string {
    const isPunycode = this.skip('u');
    const length = this.decimal();
    this.skip('_');
    const text = this.text.slice(this.at, this.at + length);
    if (text.length < length) fail();
    this.at += length;
    return isPunycode ? (decodePunycode(text) ?? fail()) : text;
  }

  private decimal(): number {
    if (this.skip('0')) return 0;
    let value = 0;
    const start = this.at;
    while (this.peek() >= '0' && this.peek() <= '9' && this.at < start + 9) value = value * 10 + Number(this.next());
    return this.at === start ? fail() : value;
  }
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
