/**
 * Parses types, and their qualifiers.
 */
import {
  type Cursor,
  fail,
  isDigit,
  isUpper,
  parseList,
  parseSourceName,
  parseSubstitution,
  parseTemplateArgs,
  parseTemplateParameter,
} from './cursor.js';
import { type LiteralStyle, type Modifier, modified, NO_ITEMS, type Node, parts, text } from './nodes.js';

const BUILT_IN: Readonly<Record<string, readonly [string, LiteralStyle?]>> = {
  a: ['signed char'],
  b: ['bool', 'bool'],
  c: ['char'],
  d: ['double', 'float'],
  e: ['long double', 'float'],
  f: ['float', 'float'],
  g: ['__float128', 'float'],
  h: ['unsigned char'],
  i: ['int', ''],
  j: ['unsigned int', 'u'],
  l: ['long', 'l'],
  m: ['unsigned long', 'ul'],
  n: ['__int128'],
  o: ['unsigned __int128'],
  s: ['short'],
  t: ['unsigned short'],
  v: ['void'],
  w: ['wchar_t'],
  x: ['long long', 'll'],
  y: ['unsigned long long', 'ull'],
  z: ['...'],
  Df: ['decimal32'],
  Dd: ['decimal64'],
  De: ['decimal128'],
  Dh: ['half', 'float'],
  Du: ['char8_t'],
  Ds: ['char16_t'],
  Di: ['char32_t'],
  Dn: ['decltype(nullptr)', 'null'],
  Da: ['auto'],
  Dc: ['decltype(auto)'],
};

const MODIFIERS: Readonly<Record<string, Modifier>> = {
  P: 'pointer',
  R: 'reference',
  O: 'rvalue',
  C: 'complex',
  G: 'imaginary',
};

export function parseType(cursor: Cursor): Node {
  const builtIn = parseBuiltIn(cursor);
  if (builtIn !== null) return builtIn;
  if (seesQualifier(cursor)) return cursor.remember(parseQualified(cursor));
  const modifier = MODIFIERS[cursor.peek()];
  if (modifier !== undefined) {
    cursor.at++;
    return cursor.remember(modified(modifier, cursor.grammar.type(cursor)));
  }
  return parseCompound(cursor);
}

function parseBuiltIn(cursor: Cursor): Node | null {
  const code = cursor.peek() === 'D' ? `D${cursor.peek(1)}` : cursor.peek();
  const found = BUILT_IN[code];
  if (found === undefined) return cursor.sees('DF') ? parseFloatN(cursor) : null;
  cursor.at += code.length;
  const [name, literals = 'type'] = found;
  return { kind: 'text', text: name, literals };
}

/** `DF16_` is _Float16, `DF16b` std::bfloat16_t. */
function parseFloatN(cursor: Cursor): Node {
  cursor.at += 2;
  const bits = cursor.number();
  if (bits === 16 && cursor.skip('b')) return { kind: 'text', text: 'std::bfloat16_t', literals: 'float' };
  const suffix = cursor.skip('x') ? 'x' : '';
  if (suffix === '') cursor.expect('_');
  return { kind: 'text', text: `_Float${bits}${suffix}`, literals: 'float' };
}

function parseCompound(cursor: Cursor): Node {
  const character = cursor.peek();
  switch (character) {
    case 'F':
      return cursor.remember(parseFunctionType(cursor));
    case 'A':
      return cursor.remember(parseArray(cursor));
    case 'M':
      return cursor.remember(parseMember(cursor));
    case 'T':
      return parseParameterType(cursor);
    case 'S':
      return parseSeen(cursor);
    case 'D':
      return cursor.remember(parseD(cursor));
    case 'u':
      cursor.at++;
      return cursor.remember(withArgs(cursor, text(parseSourceName(cursor))));
    case 'U':
      return cursor.remember(parseVendorQualified(cursor));
    default:
      return cursor.remember(cursor.grammar.name(cursor));
  }
}

function withArgs(cursor: Cursor, name: Node): Node {
  return cursor.peek() === 'I' ? { kind: 'template', name, args: parseTemplateArgs(cursor) } : name;
}

function parseSeen(cursor: Cursor): Node {
  const next = cursor.peek(1);
  if (next === '_' || isDigit(next) || isUpper(next)) {
    const node = parseSubstitution(cursor, 'type');
    return cursor.peek() === 'I' ? cursor.remember(withArgs(cursor, node)) : node;
  }
  const node = cursor.grammar.name(cursor);
  return node.kind === 'text' && node.isStandard === true ? node : cursor.remember(node);
}

/** `T_` may be a template; in a conversion, the arguments after it may belong to the operator instead. */
function parseParameterType(cursor: Cursor): Node {
  const parameter = parseTemplateParameter(cursor);
  if (cursor.peek() !== 'I') return cursor.remember(parameter);
  if (!cursor.isInConversion) {
    cursor.remember(parameter);
    return cursor.remember(withArgs(cursor, parameter));
  }
  const before = { at: cursor.at, seen: cursor.seen.length };
  const template = withArgs(cursor, parameter);
  if (cursor.peek() === 'I') {
    cursor.seen.splice(before.seen, 0, parameter);
    return cursor.remember(template);
  }
  cursor.at = before.at;
  cursor.seen.length = before.seen;
  return cursor.remember(parameter);
}

function parseD(cursor: Cursor): Node {
  cursor.expect('D');
  switch (cursor.next()) {
    case 't':
    case 'T': {
      const expression = cursor.grammar.expression(cursor);
      cursor.expect('E');
      return parts('decltype (', expression, ')');
    }
    case 'p':
      return { kind: 'expansion', pattern: cursor.grammar.type(cursor) };
    case 'v':
      return parseVector(cursor);
    default:
      return fail();
  }
}

function parseVector(cursor: Cursor): Node {
  const length = cursor.skip('_') ? cursor.grammar.expression(cursor) : text(String(cursor.number()));
  cursor.expect('_');
  return modified('vector', cursor.grammar.type(cursor), length);
}

function parseVendorQualified(cursor: Cursor): Node {
  cursor.expect('U');
  const name = withArgs(cursor, text(parseSourceName(cursor)));
  return modified('vendor', cursor.grammar.type(cursor), name);
}

function parseArray(cursor: Cursor): Node {
  cursor.expect('A');
  let length: Node | null = null;
  if (isDigit(cursor.peek())) length = text(readDigits(cursor));
  else if (cursor.peek() !== '_') length = cursor.grammar.expression(cursor);
  cursor.expect('_');
  return { kind: 'array', length, of: cursor.grammar.type(cursor) };
}

function readDigits(cursor: Cursor): string {
  const start = cursor.at;
  while (isDigit(cursor.peek())) cursor.at++;
  return cursor.text.slice(start, cursor.at);
}

function parseMember(cursor: Cursor): Node {
  cursor.expect('M');
  const owner = cursor.grammar.type(cursor);
  return modified('member', cursor.grammar.type(cursor), owner);
}

/** The first qualifier is the outermost. Before a function type, they qualify its `this`. */
function parseQualified(cursor: Cursor): Node {
  const qualify = parseQualifiers(cursor);
  if (cursor.peek() !== 'F') return qualify(cursor.grammar.type(cursor), 'type');
  const type = parseFunctionType(cursor);
  if (type.kind !== 'modified') return qualify(type, 'method');
  return modified(type.by, qualify(type.of, 'method'));
}

function parseFunctionType(cursor: Cursor): Node {
  cursor.expect('F');
  cursor.skip('Y'); // extern "C"
  const type = parseSignature(cursor, 'with-return');
  const qualified = parseThisReference(cursor, type);
  cursor.expect('E');
  return qualified;
}

/** The reference qualifier of a method. */
export function parseThisReference(cursor: Cursor, node: Node): Node {
  if (cursor.skip('R')) return modified('this-reference', node);
  return cursor.skip('O') ? modified('this-rvalue', node) : node;
}

/** Parses the types of result and parameters. */
export function parseSignature(cursor: Cursor, returns: 'with-return' | 'without-return'): Node {
  cursor.skip('J');
  const result = returns === 'with-return' ? cursor.grammar.type(cursor) : null;
  const parameters = parseParameters(cursor);
  return { kind: 'function', returns: result, parameters };
}

/** At least one type; `v` alone means no parameters. */
export function parseParameters(cursor: Cursor): { readonly kind: 'list'; readonly items: readonly Node[] } {
  const items: Node[] = [];
  while (!endsParameters(cursor)) items.push(cursor.grammar.type(cursor));
  if (items.length === 0) fail();
  const [only] = items;
  return items.length === 1 && only.kind === 'text' && only.text === 'void' ? NO_ITEMS : { kind: 'list', items };
}

function endsParameters(cursor: Cursor): boolean {
  const next = cursor.peek();
  if (next === '' || next === 'E' || next === '.') return true;
  return (next === 'R' || next === 'O') && cursor.peek(1) === 'E';
}

const QUALIFIERS: Readonly<Record<string, Modifier>> = { r: 'restrict', V: 'volatile', K: 'const' };

/** Parses qualifiers: `const`, `volatile`, `noexcept` and the like. */
function seesQualifier(cursor: Cursor): boolean {
  const next = cursor.peek();
  return next in QUALIFIERS || (next === 'D' && 'xoOw'.includes(cursor.peek(1) || '-'));
}

type Qualify = (node: Node) => Node;

/** Parses qualifiers of types, or of methods: `K` in `NK3Foo3barE`. */
export function parseQualifiers(cursor: Cursor): (node: Node, of: 'type' | 'method') => Node {
  const all: { readonly of: (by: 'type' | 'method') => Qualify }[] = [];
  while (seesQualifier(cursor)) {
    const simple = QUALIFIERS[cursor.peek()];
    if (simple === undefined) {
      const special = parseSpecialQualifier(cursor);
      all.push({ of: () => special });
      continue;
    }
    cursor.at++;
    all.push({ of: (by) => (node) => modified(by === 'type' ? simple : (METHOD_QUALIFIERS[simple] ?? simple), node) });
  }
  return (node, of) => all.reduceRight((inner, qualifier) => qualifier.of(of)(inner), node);
}

const METHOD_QUALIFIERS: Readonly<Partial<Record<Modifier, Modifier>>> = {
  const: 'this-const',
  volatile: 'this-volatile',
  restrict: 'this-restrict',
};

function parseSpecialQualifier(cursor: Cursor): Qualify {
  cursor.expect('D');
  switch (cursor.next()) {
    case 'x':
      return (node) => modified('transaction_safe', node);
    case 'o':
      return (node) => modified('noexcept', node);
    case 'O': {
      const condition = cursor.grammar.expression(cursor);
      cursor.expect('E');
      return (node) => modified('noexcept', node, condition);
    }
    default: {
      const thrown = parseList(cursor, () => cursor.grammar.type(cursor), 'E');
      return (node) => modified('throw', node, thrown);
    }
  }
}
