/**
 * Prints expressions as binutils does, with more brackets than C++ needs.
 */

import { NONE } from '../../model/units.js';
import type { Expression, LiteralStyle, Node, Operator } from './nodes.js';
import { type Printer, packIn, printExpansion, printInBrackets, printOperand } from './printer.js';

export function printExpression(printer: Printer, node: Expression): void {
  switch (node.kind) {
    case 'parts':
      for (const part of node.parts) typeof part === 'string' ? printer.write(part) : printer.print(part);
      return;
    case 'constructor':
      return printer.write(node.of);
    case 'destructor':
      return printer.write(`~${node.of}`);
    case 'operator':
      return printOperatorName(printer, node);
    case 'conversion':
      return printConversion(printer, node.type);
    case 'operand':
      return printOperand(printer, node.of);
    case 'cast':
      return printConversion(printer, node.type);
    case 'expansion':
      return printExpansion(printer, node.pattern);
    case 'unary':
      return printUnary(printer, node);
    case 'binary':
      return printBinary(printer, node);
    case 'fold':
      return printFold(printer, node);
    case 'ternary':
      return printTernary(printer, node);
    case 'default-argument':
      printer.write(`{default arg#${node.number}}::`);
      return printer.print(node.name);
  }
}

function printOperatorName(printer: Printer, { symbol }: Operator): void {
  const isWord = symbol[0] >= 'a' && symbol[0] <= 'z';
  printer.write(`operator${isWord ? ' ' : ''}${symbol.trimEnd()}`);
}

/** `operator T`: `T` may be a parameter of the operator's own template. */
function printConversion(printer: Printer, type: Node): void {
  const { template, scope } = printer;
  printer.write('operator ');
  if (template !== null) printer.scope = { template, outer: scope };
  if (type.kind === 'template') {
    printer.print(type.name);
    printer.scope = scope;
    printArgs(printer, type.args);
  } else printer.print(type);
  printer.scope = scope;
}

/** Prints `<…>`, with a space where two angle brackets would meet. */
export function printArgs(printer: Printer, args: Node): void {
  printer.write(printer.last === '<' ? ' <' : '<');
  printer.print(args);
  printer.write(printer.last === '>' ? ' >' : '>');
}

type Of<K extends Expression['kind']> = Extract<Expression, { readonly kind: K }>;

function printUnary(printer: Printer, { operator, operand, isPostfix }: Of<'unary'>): void {
  if (operator.kind !== 'operator') {
    printer.write('(');
    if (operator.kind === 'cast') printer.print(operator.type);
    printer.write(')');
    printOperand(printer, operand);
    return;
  }
  const { code, symbol } = operator;
  if (isPostfix) {
    printOperand(printer, operand);
    printer.write(symbol);
    return;
  }
  if (code === 'sZ' || code === 'sP') {
    printCount(printer, operand);
    return;
  }
  printer.write(symbol);
  if (code === 'gs') printer.print(operand);
  else if (code === 'st') printInBrackets(printer, operand);
  else printOperand(printer, code === 'ad' ? withoutParameters(operand) : operand);
}

/** `&function` is printed without parameters. */
function withoutParameters(operand: Node): Node {
  const isMethod = operand.kind === 'typed' && operand.name.kind === 'qualified' && operand.type.kind === 'function';
  return isMethod ? operand.name : operand;
}

/** `sizeof...` is printed as a number; 0 if the operand is no pack. */
function printCount(printer: Printer, operand: Node): void {
  const pack = operand.kind === 'list' ? operand : packIn(printer, operand);
  printer.write(String(pack?.items.length ?? 0));
}

function printBinary(printer: Printer, { operator, left, right }: Of<'binary'>): void {
  const { code, symbol } = operator;
  // without brackets it would end the template arguments
  if (symbol === '>') printer.write('(');
  printOperand(printer, code === 'cl' && left.kind === 'typed' ? left.name : left);
  if (code === 'ix') {
    printer.write('[');
    printer.print(right);
    printer.write(']');
  } else {
    if (code !== 'cl') printer.write(symbol);
    printOperand(printer, right);
  }
  if (symbol === '>') printer.write(')');
}

function printFold(printer: Printer, { code, operator, operands }: Of<'fold'>): void {
  const symbol = operator.kind === 'operator' ? operator.symbol : '';
  const [first, second] = operands;
  const { packIndex } = printer;
  printer.packIndex = NONE;
  printer.write('(');
  if (code === 'fl') printer.write(`...${symbol}`);
  printOperand(printer, first);
  if (code === 'fr') printer.write(`${symbol}...`);
  if (second !== undefined) {
    printer.write(`${symbol}...${symbol}`);
    printOperand(printer, second);
  }
  printer.write(')');
  printer.packIndex = packIndex;
}

function printTernary(printer: Printer, { condition, yes, no }: Of<'ternary'>): void {
  printOperand(printer, condition);
  printer.write('?');
  printOperand(printer, yes);
  printer.write(' : ');
  printOperand(printer, no);
}

const SUFFIXED: ReadonlySet<LiteralStyle> = new Set<LiteralStyle>(['', 'u', 'l', 'ul', 'll', 'ull']);

export function printLiteral(printer: Printer, node: Extract<Node, { readonly kind: 'literal' }>): void {
  const { type, text, isNegative } = node;
  const style = type.kind === 'text' ? type.literals : undefined;
  const sign = isNegative ? '-' : '';
  if (style !== undefined && SUFFIXED.has(style)) return printer.write(`${sign}${text}${style}`);
  if (style === 'bool' && !isNegative && (text === '0' || text === '1'))
    return printer.write(text === '1' ? 'true' : 'false');
  printer.write('(');
  printer.print(type);
  printer.write(style === 'float' ? `)${sign}[${text}]` : `)${sign}${text}`);
}
