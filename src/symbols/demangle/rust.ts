/**
 * Demangles Rust's v0 names (`_R…`, RFC 2603) as `c++filt` does: without hashes of crates.
 */
import { fail, isLower, isUpper, NotMangled } from './cursor.js';

const MANGLED = /^_R([A-Z]\w*)(?:\..*)?$/s;

/** Returns null if it is not such a name. */
export function demangleRustV0(mangled: string): string | null {
  const [, path] = MANGLED.exec(mangled) ?? [];
  if (path === undefined) return null;
  const cursor = new RustCursor(path);
  try {
    readPath(cursor, 'value');
    readInstantiatingCrate(cursor, path.length);
    return cursor.printed;
  } catch (error) {
    if (error instanceof NotMangled) return null;
    throw error;
  }
}

/** The crate that instantiated a generic function is not printed. */
function readInstantiatingCrate(cursor: RustCursor, end: number): void {
  if (cursor.at < end) hide(cursor, () => readPath(cursor, 'type'));
  if (cursor.at < end) fail();
}

function hide(cursor: RustCursor, read: () => void): void {
  cursor.hidden++;
  read();
  cursor.hidden--;
}

/** Generic arguments of a value are preceded by `::`. */
type Context = 'value' | 'type';

function readPath(cursor: RustCursor, context: Context): void {
  cursor.nested(() => readPathHere(cursor, context));
}

function readPathHere(cursor: RustCursor, context: Context): void {
  const tag = cursor.next();
  switch (tag) {
    case 'C':
      cursor.optionalNumber62('s');
      return cursor.write(cursor.identifier());
    case 'N':
      return readNested(cursor, context);
    case 'M':
    case 'X':
      cursor.optionalNumber62('s');
      hide(cursor, () => readPath(cursor, context));
      return readImplementation(cursor, tag);
    case 'Y':
      return readImplementation(cursor, tag);
    case 'I':
      readPath(cursor, context);
      cursor.write(context === 'value' ? '::<' : '<');
      readList(cursor, () => readGenericArg(cursor));
      return cursor.write('>');
    case 'B':
      return cursor.backReference(() => readPath(cursor, context));
    default:
      return fail();
  }
}

/** `N` and a namespace: `v` values, `t` types, `C` closures, `S` shims. */
function readNested(cursor: RustCursor, context: Context): void {
  const namespace = cursor.next();
  if (!isUpper(namespace) && !isLower(namespace)) fail();
  readPath(cursor, context);
  const number = cursor.optionalNumber62('s');
  const name = cursor.identifier();
  if (!isUpper(namespace)) return cursor.write(name === '' ? '' : `::${name}`);
  const kind = namespace === 'C' ? 'closure' : namespace === 'S' ? 'shim' : namespace;
  cursor.write(`::{${kind}${name === '' ? '' : `:${name}`}#${number}}`);
}

/** `<Type>` or `<Type as Trait>`. */
function readImplementation(cursor: RustCursor, tag: string): void {
  cursor.write('<');
  readType(cursor);
  if (tag !== 'M') {
    cursor.write(' as ');
    readPath(cursor, 'type');
  }
  cursor.write('>');
}

/** Reads up to `E`, and returns the number of items. */
function readList(cursor: RustCursor, read: () => void, between = ', '): number {
  let count = 0;
  for (; !cursor.skip('E'); count++) {
    if (count > 0) cursor.write(between);
    read();
  }
  return count;
}

function readGenericArg(cursor: RustCursor): void {
  if (cursor.skip('L')) writeLifetime(cursor, cursor.number62());
  else if (cursor.skip('K')) readConst(cursor);
  else readType(cursor);
}

function writeLifetime(cursor: RustCursor, index: number): void {
  if (index === 0) return cursor.write("'_");
  const depth = cursor.lifetimes - index;
  if (depth < 0) fail();
  cursor.write(depth < 26 ? `'${String.fromCharCode(97 + depth)}` : `'_${depth}`);
}

const BASIC: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
};

function readType(cursor: RustCursor): void {
  cursor.nested(() => readTypeHere(cursor));
}

function readTypeHere(cursor: RustCursor): void {
  const tag = cursor.next();
  if (tag in BASIC) return cursor.write(BASIC[tag]);
  switch (tag) {
    case 'R':
    case 'Q':
      return readReference(cursor, tag);
    case 'P':
    case 'O':
      cursor.write(tag === 'P' ? '*const ' : '*mut ');
      return readType(cursor);
    case 'A':
    case 'S':
      return readArray(cursor, tag);
    case 'T':
      cursor.write('(');
      cursor.write(readList(cursor, () => readType(cursor)) === 1 ? ',)' : ')');
      return;
    case 'F':
      return inBinder(cursor, () => readFunction(cursor));
    case 'D':
      return readDyn(cursor);
    case 'B':
      return cursor.backReference(() => readType(cursor));
    default:
      cursor.at--;
      return readPath(cursor, 'type');
  }
}

function readReference(cursor: RustCursor, tag: string): void {
  cursor.write('&');
  if (cursor.skip('L')) {
    const lifetime = cursor.number62();
    if (lifetime > 0) {
      writeLifetime(cursor, lifetime);
      cursor.write(' ');
    }
  }
  if (tag === 'Q') cursor.write('mut ');
  readType(cursor);
}

function readArray(cursor: RustCursor, tag: string): void {
  cursor.write('[');
  readType(cursor);
  if (tag === 'A') {
    cursor.write('; ');
    readConst(cursor);
  }
  cursor.write(']');
}

/** `G` and the number of lifetimes: `for<'a, 'b> `. */
function inBinder(cursor: RustCursor, read: () => void): void {
  const count = cursor.optionalNumber62('G');
  if (count > 100) fail();
  if (count > 0) {
    cursor.write('for<');
    for (let index = 0; index < count; index++) {
      if (index > 0) cursor.write(', ');
      cursor.lifetimes++;
      writeLifetime(cursor, 1);
    }
    cursor.write('> ');
  }
  read();
  cursor.lifetimes -= count;
}

function readFunction(cursor: RustCursor): void {
  if (cursor.skip('U')) cursor.write('unsafe ');
  if (cursor.skip('K')) {
    const abi = cursor.skip('C') ? 'C' : cursor.identifier().replaceAll('_', '-');
    cursor.write(`extern "${abi}" `);
  }
  cursor.write('fn(');
  readList(cursor, () => readType(cursor));
  cursor.write(')');
  if (cursor.skip('u')) return;
  cursor.write(' -> ');
  readType(cursor);
}

function readDyn(cursor: RustCursor): void {
  cursor.write('dyn ');
  inBinder(cursor, () => readList(cursor, () => readDynTrait(cursor), ' + '));
  if (!cursor.skip('L')) fail();
  const lifetime = cursor.number62();
  if (lifetime === 0) return;
  cursor.write(' + ');
  writeLifetime(cursor, lifetime);
}

/** `Trait<A, Item = B>`: associated types are printed among the arguments. */
function readDynTrait(cursor: RustCursor): void {
  let isOpen = readOpenPath(cursor);
  while (cursor.skip('p')) {
    cursor.write(isOpen ? ', ' : '<');
    isOpen = true;
    cursor.write(`${cursor.identifier()} = `);
    readType(cursor);
  }
  if (isOpen) cursor.write('>');
}

/** Returns whether the path has arguments; their `>` is not written yet. */
function readOpenPath(cursor: RustCursor): boolean {
  if (cursor.skip('B')) {
    let isOpen = false;
    cursor.backReference(() => {
      isOpen = readOpenPath(cursor);
    });
    return isOpen;
  }
  if (!cursor.skip('I')) {
    readPath(cursor, 'type');
    return false;
  }
  readPath(cursor, 'type');
  cursor.write('<');
  readList(cursor, () => readGenericArg(cursor));
  return true;
}

/** Reads constants among generic arguments: numbers, booleans, characters. */
function readConst(cursor: RustCursor): void {
  if (cursor.skip('B')) return cursor.backReference(() => readConst(cursor));
  const type = cursor.next();
  if (type === 'p') return cursor.write('_');
  const sign = 'aslxni'.includes(type) && cursor.skip('n') ? '-' : '';
  let hex = '';
  while (!cursor.skip('_')) hex += cursor.next();
  if (!/^[0-9a-f]*$/.test(hex)) fail();
  cursor.write(constText(type, sign, hex));
}

function constText(type: string, sign: string, hex: string): string {
  const value = hex === '' ? 0n : BigInt(`0x${hex}`);
  if (type === 'b') return value === 0n ? 'false' : value === 1n ? 'true' : fail();
  if (type === 'c') return characterText(value);
  if (!'aslxnihtmyoj'.includes(type)) fail();
  // of more than 64 bits, binutils drops the first digit
  return sign + (hex.length > 16 ? `0x${hex.slice(1)}_` : String(value));
}

const ESCAPED: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n', "'": "\\'", '\\': '\\\\' };

function characterText(value: bigint): string {
  if (value > 0x10ffffn) fail();
  const character = String.fromCodePoint(Number(value));
  const isPrinted = value >= 0x20n && value < 0x7fn;
  return `'${ESCAPED[character] ?? (isPrinted ? character : `\\u{${value.toString(16)}}`)}'`;
}

const MAX_DEPTH = 200;
const MAX_STEPS = 100_000;
const MAX_LENGTH = 100_000;

/** The position of the reader in a mangled Rust name, and what it has printed. */
class RustCursor {
  at = 0;
  printed = '';
  /** Above 0 while reading something that is not printed. */
  hidden = 0;
  /** Lifetimes named by the enclosing `for<…>`. */
  lifetimes = 0;
  private depth = 0;
  private steps = 0;

  constructor(private readonly text: string) {}

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

// Decodes punycode (RFC 3492) with an underscore instead of the hyphen: `bcher_kva` → `bücher`.

const MAX_CODE_POINT = 0x10ffff;
const MAX_DECODED = 128;

/** Returns null if it is not valid. */
function decodePunycode(text: string): string | null {
  const split = text.lastIndexOf('_');
  const characters = split === -1 ? [] : [...text.slice(0, split)];
  const digits = text.slice(split + 1);
  if (digits === '') return null;
  let code = 0x80;
  let position = 0;
  let bias = 72;
  for (let at = 0; at < digits.length; ) {
    const number = readNumber(digits, at, bias);
    if (number === null || characters.length >= MAX_DECODED) return null;
    const count = characters.length + 1;
    position += number.value;
    bias = adapted(number.value, count, at === 0);
    code += Math.floor(position / count);
    position %= count;
    if (code > MAX_CODE_POINT) return null;
    characters.splice(position++, 0, String.fromCodePoint(code));
    at = number.end;
  }
  return characters.join('');
}

function readNumber(digits: string, start: number, bias: number): { value: number; end: number } | null {
  let value = 0;
  let weight = 1;
  for (let at = start; at < digits.length; at++) {
    const digit = digitOf(digits[at]);
    const threshold = Math.min(Math.max(36 * (at - start + 1) - bias, 1), 26);
    value += digit * weight;
    if (digit === -1 || value > 2 ** 40) return null;
    if (digit < threshold) return { value, end: at + 1 };
    weight *= 36 - threshold;
  }
  return null;
}

function digitOf(character: string): number {
  return 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(character);
}

function adapted(value: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(value / (isFirst ? 700 : 2));
  delta += Math.floor(delta / count);
  let bias = 0;
  for (; delta > 455; bias += 36) delta = Math.floor(delta / 35);
  return bias + Math.floor((36 * delta) / (delta + 38));
}
