/**
 * Parses names: nested, local, of operators, constructors, lambdas.
 */
import {
  type Cursor,
  fail,
  isDigit,
  isLower,
  parseList,
  parseSourceName,
  parseSubstitution,
  parseTemplateArgs,
  parseTemplateParameter,
} from './cursor.js';
import { bare, type Node, type Operator, parts, text } from './nodes.js';
import { parseParameters, parseQualifiers, parseThisReference } from './types.js';

export function parseName(cursor: Cursor): Node {
  switch (cursor.peek()) {
    case 'N':
      return parseNested(cursor);
    case 'Z':
      return parseLocal(cursor);
    case 'S':
      return parseStandard(cursor);
    default: {
      const name = parseUnqualified(cursor, null);
      return cursor.peek() === 'I' ? withArgs(cursor, cursor.remember(name)) : name;
    }
  }
}

function withArgs(cursor: Cursor, name: Node): Node {
  return { kind: 'template', name, args: parseTemplateArgs(cursor) };
}

function parseStandard(cursor: Cursor): Node {
  if (cursor.peek(1) !== 't') {
    const node = parseSubstitution(cursor, 'type');
    return cursor.peek() === 'I' ? withArgs(cursor, node) : node;
  }
  cursor.at += 2;
  const name = parseUnqualified(cursor, { kind: 'text', text: 'std', isStandard: true });
  return cursor.peek() === 'I' ? withArgs(cursor, cursor.remember(name)) : name;
}

/** `N [qualifiers] prefix … E` */
function parseNested(cursor: Cursor): Node {
  cursor.expect('N');
  const qualify = parseQualifiers(cursor);
  const reference = parseThisReference(cursor, text(''));
  const name = parsePrefix(cursor, (prefix) => cursor.remember(prefix));
  cursor.expect('E');
  const qualified = qualify(name, 'method');
  return reference.kind === 'modified' ? { ...reference, of: qualified } : qualified;
}

/** Parses up to `E`. In an expression, parts of a prefix are no substitutions: there `remember` does nothing. */
export function parsePrefix(cursor: Cursor, remember: (prefix: Node) => void): Node {
  let prefix: Node | null = null;
  while (cursor.peek() !== 'E') {
    if (cursor.skip('M')) {
      // The variable that a lambda initialises is in the prefix already.
      if (cursor.peek() === 'E') fail();
      continue;
    }
    const isSeen = cursor.peek() === 'S';
    prefix = parsePrefixPart(cursor, prefix);
    if (!isSeen && cursor.peek() !== 'E') remember(prefix);
  }
  return prefix ?? fail();
}

function parsePrefixPart(cursor: Cursor, prefix: Node | null): Node {
  const next = cursor.peek();
  if (next === 'I') return prefix === null ? fail() : withArgs(cursor, prefix);
  const isType = next === 'D' && (cursor.peek(1) === 'T' || cursor.peek(1) === 't');
  if (next !== 'S' && next !== 'T' && !isType) return parseUnqualified(cursor, prefix);
  if (prefix !== null) fail();
  if (next === 'S') return parseSubstitution(cursor, 'prefix');
  return isType ? cursor.grammar.type(cursor) : parseTemplateParameter(cursor);
}

function joined(scope: Node | null, name: Node): Node {
  return scope === null ? name : { kind: 'qualified', scope, name };
}

/** Parses a single name, and puts it into its scope. */
export function parseUnqualified(cursor: Cursor, scope: Node | null): Node {
  let name = parseSimple(cursor);
  while (cursor.skip('B')) name = { kind: 'parts', parts: [name, `[abi:${parseTag(cursor)}]`], isSimple: true };
  return joined(scope, name);
}

function parseTag(cursor: Cursor): string {
  const { lastName } = cursor;
  const tag = parseSourceName(cursor);
  cursor.lastName = lastName;
  return tag;
}

function parseSimple(cursor: Cursor): Node {
  const next = cursor.peek();
  if (isDigit(next)) return text(parseSourceName(cursor));
  if (isLower(next)) return parseOperatorName(cursor);
  switch (next) {
    case 'L': {
      cursor.at++;
      const name = text(parseSourceName(cursor));
      skipDiscriminator(cursor);
      return name;
    }
    case 'C':
      return parseConstructor(cursor);
    case 'D':
      return cursor.peek(1) === 'C' ? parseBinding(cursor) : parseDestructor(cursor);
    case 'U':
      return cursor.peek(1) === 'l' ? parseLambda(cursor) : parseUnnamed(cursor);
    default:
      return fail();
  }
}

function parseConstructor(cursor: Cursor): Node {
  cursor.expect('C');
  const isInherited = cursor.skip('I');
  if (!'12345'.includes(cursor.next()) || cursor.lastName === null) fail();
  const of = cursor.lastName ?? fail();
  if (isInherited) cursor.grammar.type(cursor);
  return { kind: 'constructor', of };
}

function parseDestructor(cursor: Cursor): Node {
  cursor.expect('D');
  if (!'01245'.includes(cursor.next())) fail();
  return { kind: 'destructor', of: cursor.lastName ?? fail() };
}

/** `auto [a, b]` */
function parseBinding(cursor: Cursor): Node {
  cursor.expect('DC');
  const names = parseList(cursor, () => text(parseSourceName(cursor)), 'E');
  return parts('[', names, ']');
}

function parseLambda(cursor: Cursor): Node {
  cursor.expect('Ul');
  const parameters = parseParameters(cursor);
  cursor.expect('E');
  return { kind: 'lambda', parameters, number: cursor.compactNumber() + 1 };
}

function parseUnnamed(cursor: Cursor): Node {
  cursor.expect('Ut');
  return cursor.remember(text(`{unnamed type#${cursor.compactNumber() + 1}}`));
}

/** `Z function E name`: a name inside a function. */
function parseLocal(cursor: Cursor): Node {
  cursor.expect('Z');
  const scope = withoutReturn(cursor.grammar.encoding(cursor));
  cursor.expect('E');
  if (cursor.skip('s')) {
    skipDiscriminator(cursor);
    return { kind: 'local', scope, name: text('string literal') };
  }
  const defaultArgument = cursor.skip('d') ? cursor.compactNumber() + 1 : 0;
  const name = cursor.grammar.name(cursor);
  const { kind } = bare(name);
  if (kind !== 'lambda') skipDiscriminator(cursor);
  if (defaultArgument === 0) return { kind: 'local', scope, name };
  return { kind: 'local', scope, name: { kind: 'default-argument', number: defaultArgument, name } };
}

/** The return type would look like the type of the local name. */
function withoutReturn(scope: Node): Node {
  if (scope.kind !== 'typed' || scope.type.kind !== 'function') return scope;
  return { ...scope, type: { ...scope.type, returns: null } };
}

/** `_0`, `__10_`: tells apart local names that are equal. */
function skipDiscriminator(cursor: Cursor): void {
  if (!cursor.skip('_')) return;
  const isLong = cursor.skip('_');
  if (!isDigit(cursor.peek())) return;
  const number = cursor.number();
  if (isLong && number >= 10) cursor.expect('_');
}

/** Parses names of operators: `pl`, `cvi`, `li3foo`, `v13foo`. */
export function parseOperatorName(cursor: Cursor): Node {
  const code = cursor.next() + cursor.next();
  if (code === 'cv') return parseConversion(cursor);
  if (code[0] === 'v' && isDigit(code[1])) return operatorText(` ${parseSourceName(cursor)}`);
  if (code === 'li') return operatorText(`"" ${parseSourceName(cursor)}`);
  return operatorOf(code)?.operator ?? fail();
}

function operatorText(symbol: string): Node {
  return { kind: 'parts', parts: [`operator${symbol}`], isSimple: true };
}

function parseConversion(cursor: Cursor): Node {
  const { isInConversion } = cursor;
  cursor.isInConversion = !cursor.isInExpression;
  const isCast = cursor.isInExpression;
  const type = cursor.grammar.type(cursor);
  cursor.isInConversion = isInConversion;
  return isCast ? { kind: 'cast', type } : { kind: 'conversion', type };
}

/** Those that binutils knows: no `typeid`. `~` is a space between a word and its operand. */
const TABLE = `aN &= 2|aS = 2|aa && 2|ad & 1|an & 2|at alignof~ 1|aw co_await~ 1|az alignof~ 1|cc const_cast 2|cl () 2|cm , 2|co ~ 1
|dV /= 2|dX [...]= 3|da delete[]~ 1|dc dynamic_cast 2|de * 1|di = 2|dl delete~ 1|ds .* 2|dt . 2|dv / 2|dx ]= 2|eO ^= 2|eo ^ 2
|eq == 2|fL ... 3|fR ... 3|fl ... 2|fr ... 2|ge >= 2|gs :: 1|gt > 2|ix [] 2|lS <<= 2|le <= 2|li operator""~ 1|ls << 2|lt < 2
|mI -= 2|mL *= 2|mi - 2|ml * 2|mm -- 1|na new[]~ 3|ne != 2|ng - 1|nt ! 1|nw new 3|oR |= 2|oo || 2|or | 2|pL += 2
|pl + 2|pm ->* 2|pp ++ 1|ps + 1|pt -> 2|qu ? 3|rM %= 2|rS >>= 2|rc reinterpret_cast 2|rm % 2|rs >> 2|sP sizeof... 1|sZ sizeof... 1
|sc static_cast 2|ss <=> 2|st sizeof~ 1|sz sizeof~ 1|tr throw 0|tw throw~ 1`;

const OPERATORS = new Map<string, { readonly operator: Operator; readonly operands: number }>();
for (const [, code = '', symbol = '', operands] of TABLE.matchAll(/([a-z][a-zA-Z]) (\S+) (\d)/g))
  OPERATORS.set(code, {
    operator: { kind: 'operator', code, symbol: symbol.length > 1 ? symbol.replace(/~$/, ' ') : symbol },
    operands: Number(operands),
  });

/** The operators: two letters, how they are written, and how many operands they have. */
export function operatorOf(code: string): { readonly operator: Operator; readonly operands: number } | undefined {
  return OPERATORS.get(code);
}
