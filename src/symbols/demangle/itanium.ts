/**
 * Demangles C++ names (Itanium ABI) as `c++filt -p -i` does: without parameters.
 */
import { Cursor, fail, type Grammar, isDigit, NotMangled, parseTemplateArgs } from './cursor.js';
import { parseExpression } from './expressions.js';
import { parseName } from './names.js';
import { bare, isOfMethod, type List, type Node, parts, type Template } from './nodes.js';
import { printArgs, printExpression, printLiteral } from './print-expressions.js';
import { printArray, printFunction, printModified, printTyped } from './print-types.js';
import { Printer, printParameter } from './printer.js';
import { parseSignature, parseType } from './types.js';

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

// Parses an encoding: a function, a variable, or what a compiler generates for a class.

/** Drops the parameters and the qualifiers of a method: binutils omits both at the top. */
function parseTop(cursor: Cursor): Node {
  if (isSpecial(cursor)) return parseSpecial(cursor);
  const name = bare(cursor.grammar.name(cursor));
  return name.kind === 'local' ? { ...name, name: bare(name.name) } : name;
}

/** Parses an encoding inside another name: with its parameters. */
function parseEncoding(cursor: Cursor): Node {
  if (isSpecial(cursor)) return parseSpecial(cursor);
  const name = cursor.grammar.name(cursor);
  if (cursor.peek() === '' || cursor.peek() === 'E') return name;
  const type = parseSignature(cursor, hasReturn(name) ? 'with-return' : 'without-return');
  const isInFunction = bare(name).kind === 'local';
  return { kind: 'typed', name, type: isInFunction && type.kind === 'function' ? { ...type, returns: null } : type };
}

/** Instances of function templates encode their return type, except constructors, destructors and conversions. */
function hasReturn(name: Node): boolean {
  if (isOfMethod(name)) return hasReturn(name.of);
  if (name.kind === 'local') return hasReturn(name.name);
  return name.kind === 'template' && !returnsNothing(name.name);
}

function returnsNothing(name: Node): boolean {
  if (name.kind === 'qualified' || name.kind === 'local') return returnsNothing(name.name);
  return name.kind === 'constructor' || name.kind === 'destructor' || name.kind === 'conversion';
}

function isSpecial(cursor: Cursor): boolean {
  return cursor.peek() === 'T' || cursor.peek() === 'G';
}

const OF_TYPES: Readonly<Record<string, string>> = {
  TV: 'vtable for ',
  TT: 'VTT for ',
  TI: 'typeinfo for ',
  TS: 'typeinfo name for ',
  TF: 'typeinfo fn for ',
  TJ: 'java Class for ',
};

const OF_NAMES: Readonly<Record<string, string>> = {
  TH: 'TLS init function for ',
  TW: 'TLS wrapper function for ',
  GV: 'guard variable for ',
};

function parseSpecial(cursor: Cursor): Node {
  const code = cursor.next() + cursor.next();
  if (code in OF_TYPES) return parts(OF_TYPES[code], cursor.grammar.type(cursor));
  if (code in OF_NAMES) return parts(OF_NAMES[code], cursor.grammar.name(cursor));
  return code[0] === 'T' ? parseThunk(cursor, code) : parseOfG(cursor, code);
}

function parseThunk(cursor: Cursor, code: string): Node {
  switch (code) {
    case 'Th':
      skipOffset(cursor, 'h');
      return parts('non-virtual thunk to ', cursor.grammar.encoding(cursor));
    case 'Tv':
      skipOffset(cursor, 'v');
      return parts('virtual thunk to ', cursor.grammar.encoding(cursor));
    case 'Tc':
      skipOffset(cursor, cursor.next());
      skipOffset(cursor, cursor.next());
      return parts('covariant return thunk to ', cursor.grammar.encoding(cursor));
    case 'TC': {
      const derived = cursor.grammar.type(cursor);
      if (isDigit(cursor.peek())) cursor.number();
      cursor.expect('_');
      return parts('construction vtable for ', cursor.grammar.type(cursor), '-in-', derived);
    }
    case 'TA':
      return parts('template parameter object for ', argsOf(cursor));
    default:
      return fail();
  }
}

function argsOf(cursor: Cursor): Node {
  return cursor.peek() === 'I' ? parseTemplateArgs(cursor) : cursor.grammar.type(cursor);
}

function parseOfG(cursor: Cursor, code: string): Node {
  switch (code) {
    case 'GR': {
      const name = cursor.grammar.name(cursor);
      const number = isDigit(cursor.peek()) ? cursor.number() : 0;
      return parts(`reference temporary #${number} for `, name);
    }
    case 'GA':
      return parts('hidden alias for ', cursor.grammar.encoding(cursor));
    case 'GT': {
      const isTransaction = cursor.next() !== 'n';
      return parts(`${isTransaction ? '' : 'non-'}transaction clone for `, cursor.grammar.encoding(cursor));
    }
    default:
      return fail();
  }
}

/** `h` has one number, `v` two; they are not printed. */
function skipOffset(cursor: Cursor, code: string): void {
  if (code !== 'h' && code !== 'v') fail();
  for (let left = code === 'h' ? 1 : 2; left > 0; left--) {
    cursor.skip('n');
    if (isDigit(cursor.peek())) cursor.number();
    cursor.expect('_');
  }
}
