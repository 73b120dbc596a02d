/**
 * The position of the parser in a mangled name, what it has parsed so far, and what names, types and expressions are made of.
 */
import type { List, Node } from './nodes.js';

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

  constructor(
    readonly text: string,
    readonly grammar: Grammar,
  ) {}

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

/** Parses a list up to the letter that ends it. */
export function parseList(cursor: Cursor, parse: () => Node, end: string): List {
  const items: Node[] = [];
  while (!cursor.skip(end)) {
    if (cursor.peek() === '') fail();
    items.push(parse());
  }
  return { kind: 'list', items };
}

/** Parses literals: `Li5E`, `L_Z3fooE`. */
export function parseLiteral(cursor: Cursor): Node {
  cursor.expect('L');
  if (cursor.skip('_Z') || cursor.skip('Z')) {
    const encoding = cursor.grammar.encoding(cursor);
    cursor.expect('E');
    return encoding;
  }
  const type = cursor.grammar.type(cursor);
  if (type.kind === 'text' && type.literals === 'null' && cursor.skip('E')) return type;
  const isNegative = cursor.skip('n');
  const end = cursor.text.indexOf('E', cursor.at);
  if (end === -1 || end === cursor.at) fail();
  const text = cursor.text.slice(cursor.at, end);
  cursor.at = end + 1;
  return { kind: 'literal', type, text, isNegative };
}

const ANONYMOUS = /^_GLOBAL_[._$]N/;

/** Parses source names: `3foo` → `foo`. */
export function parseSourceName(cursor: Cursor): string {
  const length = cursor.number();
  const name = cursor.text.slice(cursor.at, cursor.at + length);
  if (length === 0 || name.length < length) fail();
  cursor.at += length;
  cursor.lastName = ANONYMOUS.test(name) ? '(anonymous namespace)' : name;
  return cursor.lastName;
}

// Resolves substitutions (`S_`, `St`, `Ss` …) and parses template parameters (`T_`).

interface Standard {
  readonly short: string;
  /** Used before a constructor: `std::basic_string<…>::basic_string`. */
  readonly full: string;
  readonly lastName: string | null;
}

const CHAR_TRAITS = 'std::char_traits<char>';
const STANDARD: Readonly<Record<string, Standard>> = {
  t: { short: 'std', full: 'std', lastName: null },
  a: { short: 'std::allocator', full: 'std::allocator', lastName: 'allocator' },
  b: { short: 'std::basic_string', full: 'std::basic_string', lastName: 'basic_string' },
  s: {
    short: 'std::string',
    full: `std::basic_string<char, ${CHAR_TRAITS}, std::allocator<char> >`,
    lastName: 'basic_string',
  },
  i: { short: 'std::istream', full: `std::basic_istream<char, ${CHAR_TRAITS} >`, lastName: 'basic_istream' },
  o: { short: 'std::ostream', full: `std::basic_ostream<char, ${CHAR_TRAITS} >`, lastName: 'basic_ostream' },
  d: { short: 'std::iostream', full: `std::basic_iostream<char, ${CHAR_TRAITS} >`, lastName: 'basic_iostream' },
};

/** In a prefix, a constructor may follow. */
type SubstitutionContext = 'type' | 'prefix';

export function parseSubstitution(cursor: Cursor, context: SubstitutionContext): Node {
  cursor.expect('S');
  const next = cursor.peek();
  if (next === '_' || isDigit(next) || isUpper(next)) return cursor.seen[sequenceNumber(cursor)] ?? fail();
  const standard = STANDARD[cursor.next()] ?? fail();
  if (standard.lastName !== null) cursor.lastName = standard.lastName;
  const isFull = context === 'prefix' && (cursor.peek() === 'C' || cursor.peek() === 'D');
  return { kind: 'text', text: isFull ? standard.full : standard.short, isStandard: true };
}

/** `_` is 0, `0_` is 1, … `Z_` is 36, `10_` is 37. */
function sequenceNumber(cursor: Cursor): number {
  if (cursor.skip('_')) return 0;
  let value = 0;
  while (!cursor.skip('_')) {
    const character = cursor.next();
    if (!isDigit(character) && !isUpper(character)) fail();
    value = value * 36 + Number.parseInt(character, 36);
    if (value > cursor.text.length) fail(); // a name has fewer substitutions than letters
  }
  return value + 1;
}

export function parseTemplateParameter(cursor: Cursor): Node {
  cursor.expect('T');
  return { kind: 'parameter', index: cursor.compactNumber() };
}

/** Parses template arguments: `I…E`. */
export function parseTemplateArgs(cursor: Cursor): List {
  if (!cursor.skip('I') && !cursor.skip('J')) fail();
  const { lastName } = cursor; // the constructor of a template is not named after its last argument
  const args = parseList(cursor, () => parseTemplateArg(cursor), 'E');
  cursor.lastName = lastName;
  return args;
}

function parseTemplateArg(cursor: Cursor): Node {
  switch (cursor.peek()) {
    case 'X': {
      cursor.at++;
      const expression = cursor.grammar.expression(cursor);
      cursor.expect('E');
      return expression;
    }
    case 'L':
      return parseLiteral(cursor);
    case 'I':
    case 'J':
      return cursor.nested(parseTemplateArgs);
    default:
      return cursor.grammar.type(cursor);
  }
}

// How a parser gives up: names that are not mangled are frequent, so the error is built once.

/** The text does not match the grammar. Ends the parser; its caller returns null. */
export class NotMangled extends Error {}

const notMangled = new NotMangled('not a mangled name');

export function fail(): never {
  throw notMangled;
}
