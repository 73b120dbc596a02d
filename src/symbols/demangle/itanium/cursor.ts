/**
 * The position of the parser in a mangled name, and what it has parsed so far.
 */
import { fail } from '../not-mangled.js';
import type { Node } from './nodes.js';

/** Parts of the grammar that use each other, across files. */
export interface Grammar {
  encoding(cursor: Cursor): Node;
  name(cursor: Cursor): Node;
  type(cursor: Cursor): Node;
  expression(cursor: Cursor): Node;
}

/** Real names nest a few dozen deep. */
const MAX_DEPTH = 400;

export class Cursor {
  at = 0;
  /** The substitutions: what `S_`, `S0_` … refer to. */
  readonly seen: Node[] = [];
  /** The last name parsed: a constructor is named after its class. */
  lastName: string | null = null;
  isInConversion = false;
  isInExpression = false;
  private depth = 0;
  readonly text: string;
  readonly grammar: Grammar;

  constructor(text: string, grammar: Grammar) {
    this.text = text;
    this.grammar = grammar;
  }

  /** Returns a character without consuming it; empty at the end. */
  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Consumes the text if it is next. */
  skip(text: string): boolean {
    const isNext = this.sees(text);
    if (isNext) this.at += text.length;
    return isNext;
  }

  expect(text: string): void {
    if (!this.skip(text)) fail();
  }

  next(): string {
    if (this.at >= this.text.length) fail();
    return this.text[this.at++];
  }

  remember(node: Node): Node {
    this.seen.push(node);
    return node;
  }

  /** Forgets what was parsed since. */
  backTo(at: number, seenCount: number): void {
    this.at = at;
    this.seen.length = seenCount;
  }

  /** Parses anything that may nest, with a limit of depth. */
  nested(parse: (cursor: Cursor) => Node): Node {
    if (++this.depth > MAX_DEPTH) fail();
    try {
      return parse(this);
    } finally {
      this.depth--;
    }
  }

  /** Decimal, of at most ten digits. */
  number(): number {
    let value = 0;
    const start = this.at;
    while (isDigit(this.peek()) && this.at < start + 10) value = value * 10 + Number(this.next());
    if (this.at === start) fail();
    return value;
  }

  /** `_` is 0, `0_` is 1. */
  compactNumber(): number {
    if (this.skip('_')) return 0;
    const number = this.number() + 1;
    this.expect('_');
    return number;
  }
}

export function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

export function isLower(character: string): boolean {
  return character >= 'a' && character <= 'z';
}

export function isUpper(character: string): boolean {
  return character >= 'A' && character <= 'Z';
}
