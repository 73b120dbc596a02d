/**
 * Demangles C++ names (Itanium ABI) as `c++filt -p -i` does: without parameters.
 */

import { NotMangled } from '../not-mangled.js';
import { Cursor, type Grammar } from './cursor.js';
import { parseEncoding, parseTop } from './encoding.js';
import { parseExpression } from './expressions.js';
import { parseName } from './names.js';
import { bare, type List, type Node, type Template } from './nodes.js';
import { printArgs, printExpression, printLiteral } from './print-expressions.js';
import { printParameter } from './print-parameters.js';
import { printArray, printFunction, printModified, printTyped } from './print-types.js';
import { Printer } from './printer.js';
import { parseType } from './types.js';

const GRAMMAR: Grammar = {
  encoding: (cursor) => cursor.nested(parseEncoding),
  name: (cursor) => cursor.nested(parseName),
  type: (cursor) => cursor.nested(parseType),
  expression: (cursor) => cursor.nested(parseExpression),
};

/** Longer names are not demangled. */
const MAX_BYTES = 50_000;
/** gcc's names for code that initialises variables before main. */
const GLOBAL = /^_GLOBAL_[._$]([ID])_/;

/** Returns null if it is not a C++ name. */
export function demangleItanium(mangled: string): string | null {
  if (mangled.length > MAX_BYTES) return null;
  if (mangled.startsWith('_Z')) return demangleAt(mangled, 2, parseTop);
  const [all, kind] = GLOBAL.exec(mangled) ?? [];
  if (all === undefined) return null;
  const rest = mangled.slice(all.length);
  const name = rest.startsWith('_Z') ? demangleAt(rest, 2, parseEncoding) : rest;
  return name === null ? null : `global ${kind === 'I' ? 'con' : 'de'}structors keyed to ${name}`;
}

/** As `demangleItanium`, with parameters, and with what an instance of a template returns. */
export function demangleWithParameters(mangled: string): string | null {
  return mangled.length <= MAX_BYTES && mangled.startsWith('_Z') ? demangleAt(mangled, 2, parseEncoding) : null;
}

function demangleAt(mangled: string, start: number, parse: (cursor: Cursor) => Node): string | null {
  const cursor = new Cursor(mangled, GRAMMAR);
  cursor.at = start;
  try {
    return printName(parse(cursor));
  } catch (error) {
    if (error instanceof NotMangled) return null;
    throw error;
  }
}

/** Prints the tree of a name as `c++filt` does. */
function printName(node: Node): string {
  const printer = new Printer(printNode);
  printer.print(node);
  return printer.text;
}

function printNode(printer: Printer, node: Node): void {
  switch (node.kind) {
    case 'text':
      return printer.write(node.text);
    case 'qualified':
    case 'local':
      printer.print(node.scope);
      printer.write('::');
      return printer.print(node.kind === 'local' ? bare(node.name) : node.name);
    case 'typed':
      return printTyped(printer, node);
    case 'template':
      return printTemplate(printer, node);
    case 'parameter':
      return printParameter(printer, node.index);
    case 'modified':
      return printModified(printer, node);
    case 'function':
      return printFunction(printer, node);
    case 'array':
      return printArray(printer, node);
    case 'list':
      return printList(printer, node);
    case 'literal':
      return printLiteral(printer, node);
    case 'lambda':
      return printLambda(printer, node.parameters, node.number);
    default:
      return printExpression(printer, node);
  }
}

function printTemplate(printer: Printer, node: Template): void {
  const { waiting, template } = printer;
  printer.waiting = null;
  printer.template = node;
  printer.print(node.name);
  printArgs(printer, node.args);
  printer.waiting = waiting;
  printer.template = template;
}

/**
 * As binutils does: empty packs leave a comma unless they are last, and `Foo<Bar<>, >` becomes `Foo<Bar<>>`, without a
 * space, because the removed comma still counts as the last character.
 */
function printList(printer: Printer, { items }: List): void {
  let end = printer.text.length;
  items.forEach((item, index) => {
    if (index > 0) printer.write(', ');
    const before = printer.text.length;
    printer.print(item);
    if (index > 0 && printer.text.length === before) return;
    end = printer.text.length;
  });
  if (printer.text.length > end) printer.cut(end);
}

function printLambda(printer: Printer, parameters: List, number: number): void {
  printer.write('{lambda(');
  printer.lambdaDepth++;
  printer.print(parameters);
  printer.lambdaDepth--;
  printer.write(`)#${number}}`);
}
