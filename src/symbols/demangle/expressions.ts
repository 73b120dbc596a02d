/**
 * Parses an expression, as in `decltype (a + b)`.
 */

import {
  type Cursor,
  fail,
  isDigit,
  NotMangled,
  parseList,
  parseLiteral,
  parseSourceName,
  parseTemplateArgs,
  parseTemplateParameter,
} from './cursor.js';
import { operatorOf, parseOperatorName, parsePrefix, parseUnqualified } from './names.js';
import type { Node, Operator } from './nodes.js';

export function parseExpression(cursor: Cursor): Node {
  const { isInExpression } = cursor;
  cursor.isInExpression = true;
  const node = parseAny(cursor);
  cursor.isInExpression = isInExpression;
  return node;
}

function parseAny(cursor: Cursor): Node {
  const next = cursor.peek();
  if (next === 'L') return parseLiteral(cursor);
  if (next === 'T') return parseTemplateParameter(cursor);
  if (isDigit(next)) return parseNameInExpression(cursor);
  switch (next + cursor.peek(1)) {
    case 'sr':
      return parseScoped(cursor);
    case 'sp':
      cursor.at += 2;
      return { kind: 'expansion', pattern: cursor.grammar.expression(cursor) };
    case 'fp':
      return parseFunctionParameter(cursor);
    case 'on':
      cursor.at += 2;
      return parseNameInExpression(cursor);
    case 'il':
      cursor.at += 2;
      return initializer(null, parseExpressions(cursor, 'E'));
    case 'tl': {
      cursor.at += 2;
      const type = cursor.grammar.type(cursor);
      return initializer(type, parseExpressions(cursor, 'E'));
    }
    case 'u1':
    case 'u2':
    case 'u3':
      return parseVendor(cursor);
    default:
      return parseOperation(cursor);
  }
}

function parseExpressions(cursor: Cursor, end: string): Node {
  return parseList(cursor, () => cursor.grammar.expression(cursor), end);
}

function initializer(type: Node | null, items: Node): Node {
  return { kind: 'parts', parts: [...(type === null ? [] : [type]), '{', items, '}'], isSimple: true };
}

/** `u name arguments E` */
function parseVendor(cursor: Cursor): Node {
  cursor.at++;
  const name = parseSourceName(cursor);
  const args = parseList(cursor, () => parseVendorArg(cursor), 'E');
  return { kind: 'parts', parts: [name, '(', args, ')'], isSimple: false };
}

function parseVendorArg(cursor: Cursor): Node {
  if (cursor.skip('X')) {
    const expression = cursor.grammar.expression(cursor);
    cursor.expect('E');
    return expression;
  }
  return cursor.peek() === 'L' ? parseLiteral(cursor) : cursor.grammar.type(cursor);
}

function parseNameInExpression(cursor: Cursor): Node {
  const name = parseUnqualified(cursor, null);
  return cursor.peek() === 'I' ? { kind: 'template', name, args: parseTemplateArgs(cursor) } : name;
}

/** `sr type name`: a member of a dependent type. */
function parseScoped(cursor: Cursor): Node {
  cursor.at += 2;
  const scope = parseScope(cursor);
  const name = parseUnqualified(cursor, null);
  if (cursor.peek() !== 'I') return { kind: 'qualified', scope, name };
  const args = parseTemplateArgs(cursor);
  return { kind: 'qualified', scope, name: { kind: 'template', name, args } };
}

/** Names up to `E`, or a type, after which older compilers write no `E`. */
function parseScope(cursor: Cursor): Node {
  if (cursor.skip('N')) return parseNames(cursor);
  return isDigit(cursor.peek()) && areNames(cursor) ? parseNames(cursor) : cursor.grammar.type(cursor);
}

function parseNames(cursor: Cursor): Node {
  const names = parsePrefix(cursor, () => {});
  cursor.expect('E');
  return names;
}

/** Looks ahead: if a name follows what looks like names, they are names; otherwise it is a type. */
function areNames(cursor: Cursor): boolean {
  const { at, lastName } = cursor;
  const seenCount = cursor.seen.length;
  try {
    parseNames(cursor);
    parseUnqualified(cursor, null);
    return true;
  } catch (error) {
    if (!(error instanceof NotMangled)) throw error;
    return false;
  } finally {
    cursor.backTo(at, seenCount);
    cursor.lastName = lastName;
  }
}

/** `fp_`: the first one; `fpT`: this. */
function parseFunctionParameter(cursor: Cursor): Node {
  cursor.at += 2;
  if (cursor.skip('T')) return { kind: 'parts', parts: ['this'], isSimple: true };
  const number = cursor.compactNumber() + 1;
  return { kind: 'parts', parts: [`{parm#${number}}`], isSimple: true };
}

const FOLDS = new Set(['fl', 'fr', 'fL', 'fR']);
const DESIGNATORS = new Set(['di', 'dx', 'dX']);
const CASTS = new Set(['sc', 'dc', 'rc', 'cc']);

function parseOperation(cursor: Cursor): Node {
  const operator = parseOperatorName(cursor);
  if (operator.kind === 'cast') return parseCast(cursor, operator);
  if (operator.kind !== 'operator') return fail();
  const { code } = operator;
  if (FOLDS.has(code)) return parseFold(cursor, code);
  if (DESIGNATORS.has(code)) return parseDesignated(cursor, code);
  if (CASTS.has(code)) return parseNamedCast(cursor, operator);
  const operands = operatorOf(code)?.operands ?? fail();
  if (operands === 0) return { kind: 'parts', parts: [operator.symbol], isSimple: true };
  if (operands === 1) return parseUnary(cursor, operator);
  return operands === 2 ? parseBinary(cursor, operator) : parseTernary(cursor, code);
}

/** `.x=1`, `[2]=1`, `[2 ... 3]=1`; in a chain of designators only the last one has the sign. */
function parseDesignated(cursor: Cursor, code: string): Node {
  const designated: (Node | string)[] =
    code === 'di' ? ['.', parseSourceName(cursor)] : ['[', cursor.grammar.expression(cursor)];
  if (code === 'dX') designated.push(' ... ', cursor.grammar.expression(cursor));
  if (code !== 'di') designated.push(']');
  const isLast = !DESIGNATORS.has(cursor.peek() + cursor.peek(1));
  const value = cursor.grammar.expression(cursor);
  if (isLast) designated.push('=', { kind: 'operand', of: value });
  else designated.push(value);
  return { kind: 'parts', parts: designated, isSimple: false };
}

/** `cv type expression`, or `cv type _ expressions E`. */
function parseCast(cursor: Cursor, operator: Node): Node {
  const operand = cursor.skip('_') ? parseExpressions(cursor, 'E') : cursor.grammar.expression(cursor);
  return { kind: 'unary', operator, operand, isPostfix: false };
}

function parseNamedCast(cursor: Cursor, { symbol }: Operator): Node {
  const type = cursor.grammar.type(cursor);
  return { kind: 'parts', parts: [symbol, '<', type, '>(', cursor.grammar.expression(cursor), ')'], isSimple: false };
}

function parseUnary(cursor: Cursor, operator: Operator): Node {
  const { code } = operator;
  if (code === 'st') return unary(operator, cursor.grammar.type(cursor));
  if (code === 'sP') {
    const args = parseList(cursor, () => parseVendorArg(cursor), 'E');
    return unary(operator, args);
  }
  // ++ and -- are prefix operators if an underscore follows
  const isPostfix = (code === 'pp' || code === 'mm') && !cursor.skip('_');
  return unary(operator, cursor.grammar.expression(cursor), isPostfix);
}

function unary(operator: Operator, operand: Node, isPostfix = false): Node {
  return { kind: 'unary', operator, operand, isPostfix };
}

function parseBinary(cursor: Cursor, operator: Operator): Node {
  const left = cursor.grammar.expression(cursor);
  return { kind: 'binary', operator, left, right: parseRight(cursor, operator.code) };
}

function parseRight(cursor: Cursor, code: string): Node {
  if (code === 'cl') return parseExpressions(cursor, 'E');
  const isMember = code === 'dt' || code === 'pt';
  return isMember ? parseMember(cursor) : cursor.grammar.expression(cursor);
}

function parseMember(cursor: Cursor): Node {
  if (cursor.sees('sr')) return parseScoped(cursor);
  cursor.skip('on');
  return parseNameInExpression(cursor);
}

function parseFold(cursor: Cursor, code: string): Node {
  const { operator } = operatorOf(cursor.next() + cursor.next()) ?? fail();
  const operands = [cursor.grammar.expression(cursor)];
  if (code === 'fL' || code === 'fR') operands.push(cursor.grammar.expression(cursor));
  return { kind: 'fold', code, operator, operands };
}

function parseTernary(cursor: Cursor, code: string): Node {
  if (code === 'qu') {
    const condition = cursor.grammar.expression(cursor);
    const yes = cursor.grammar.expression(cursor);
    return { kind: 'ternary', condition, yes, no: cursor.grammar.expression(cursor) };
  }
  return code === 'nw' || code === 'na' ? parseNew(cursor) : fail();
}

/** `nw placement _ type E`; instead of the `E` an initialiser may follow: `pi expressions E` or `il expressions E`. */
function parseNew(cursor: Cursor): Node {
  const placement = parseList(cursor, () => cursor.grammar.expression(cursor), '_');
  const type = cursor.grammar.type(cursor);
  const all: (Node | string)[] = ['new ']; // also for arrays, as binutils has it
  if (placement.items.length > 0) all.push('(', placement, ') ');
  all.push(type);
  if (cursor.skip('pi')) all.push('(', parseExpressions(cursor, 'E'), ')');
  else if (cursor.sees('il')) all.push(cursor.grammar.expression(cursor));
  else cursor.expect('E');
  return { kind: 'parts', parts: all, isSimple: false };
}
