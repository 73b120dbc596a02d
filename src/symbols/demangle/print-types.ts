/**
 * Prints types as C declares them, from the inside out: `int (*)(char)`, `int (&) [3]`, `void (Foo::*)() const`.
 */
import {
  type ArrayType,
  bare,
  type FunctionType,
  isOfMethod,
  localName,
  type Modified,
  type Modifier,
  type Node,
  type Typed,
} from './nodes.js';
import { type Printer, printReference, type Scope, type Waiting } from './printer.js';

const SYMBOLS: Readonly<Record<Modifier, string>> = {
  pointer: '*',
  reference: '&',
  rvalue: '&&',
  const: ' const',
  volatile: ' volatile',
  restrict: ' restrict',
  complex: ' _Complex',
  imaginary: ' _Imaginary',
  vendor: ' ',
  vector: ' __vector(',
  member: '',
  'this-const': ' const',
  'this-volatile': ' volatile',
  'this-restrict': ' restrict',
  'this-reference': ' &',
  'this-rvalue': ' &&',
  transaction_safe: ' transaction_safe',
  noexcept: ' noexcept',
  throw: ' throw',
};

export function printModified(printer: Printer, node: Modified): void {
  if (node.by === 'reference' || node.by === 'rvalue') printIn(printer, node);
  else if (isRepeated(printer, node)) printer.print(node.of);
  else printAround(printer, node);
}

function printAround(printer: Printer, node: Modified): void {
  if (!printer.printInside(node.of, node)) printModifier(printer, node);
}

/** `const` of an array is also one of its items; it is printed once. */
function isRepeated({ waiting }: Printer, { by }: Modified): boolean {
  if (by !== 'const' && by !== 'volatile' && by !== 'restrict') return false;
  for (let around = waiting; around !== null; around = around.outer) {
    if (around.isPrinted) continue;
    const { node } = around;
    if (node.kind !== 'modified' || !(node.by === 'const' || node.by === 'volatile' || node.by === 'restrict'))
      return false;
    if (node.by === by) return true;
  }
  return false;
}

/** A referenced parameter keeps the scope of its first use, because `S_` may refer to it elsewhere. */
function printIn(printer: Printer, node: Modified): void {
  if (node.of.kind !== 'parameter' || printer.lambdaDepth > 0) {
    printCollapsed(printer, node);
    return;
  }
  const saved = printer.scopeOfParameter.get(node.of);
  if (saved === undefined) printer.scopeOfParameter.set(node.of, printer.scope);
  const isInside = printer.path.slice(0, -1).some((around) => around === node || around === node.of);
  const scope: Scope | null = saved === undefined || isInside ? printer.scope : saved;
  printer.inScope(scope, () => printCollapsed(printer, node));
}

function printCollapsed(printer: Printer, node: Modified): void {
  const meant = printReference(printer, node);
  if (meant === node || node.of.kind !== 'parameter') {
    if (meant === node) printAround(printer, node);
    else printAround(printer, meant);
    return;
  }
  // the argument's own parameters belong to the template outside
  const { scope } = printer;
  const waiting = printer.wait(meant);
  printer.inScope(scope?.outer ?? null, () => printer.print(meant.of));
  printer.waiting = waiting.outer;
  if (!waiting.isPrinted) printModifier(printer, meant);
}

function printModifier(printer: Printer, { by, detail }: Modified): void {
  if (by === 'member' && printer.last !== '(') printer.write(' ');
  printer.write(SYMBOLS[by]);
  if (detail === null) return;
  const [before, after] = BRACKETS[by] ?? ['', ''];
  printer.write(before);
  printer.print(detail);
  printer.write(after);
}

const BRACKETS: Readonly<Partial<Record<Modifier, readonly [string, string]>>> = {
  vector: ['', ')'],
  member: ['', '::*'],
  noexcept: ['(', ')'],
  throw: ['(', ')'],
};

export function printFunction(printer: Printer, node: FunctionType): void {
  if (node.returns !== null) {
    if (printer.printInside(node.returns, node)) return;
    printer.write(' ');
  }
  printSignature(printer, node, printer.waiting);
}

/** Prints waiting nodes before the parameters, in brackets if one is a pointer or the like; method qualifiers after. */
function printSignature(printer: Printer, { parameters }: FunctionType, waiting: Waiting | null): void {
  const brackets = bracketsFor(waiting);
  if (brackets !== 'none') {
    const needsSpace = brackets === 'after-space' || (printer.last !== '(' && printer.last !== '*');
    if (needsSpace && printer.last !== ' ') printer.write(' ');
    printer.write('(');
  }
  const outer = printer.waiting;
  printer.waiting = null;
  printWaiting(printer, waiting, 'before');
  if (brackets !== 'none') printer.write(')');
  printer.write('(');
  printer.print(parameters);
  printer.write(')');
  printWaiting(printer, waiting, 'after');
  printer.waiting = outer;
}

const BRACKETS_OF: Readonly<Partial<Record<Modifier, 'brackets' | 'after-space'>>> = {
  pointer: 'brackets',
  reference: 'brackets',
  rvalue: 'brackets',
  const: 'after-space',
  volatile: 'after-space',
  restrict: 'after-space',
  vendor: 'after-space',
  complex: 'after-space',
  imaginary: 'after-space',
  member: 'after-space',
};

function bracketsFor(waiting: Waiting | null): 'none' | 'brackets' | 'after-space' {
  for (let around = waiting; around !== null && !around.isPrinted; around = around.outer) {
    const brackets = around.node.kind === 'modified' ? BRACKETS_OF[around.node.by] : undefined;
    if (brackets !== undefined) return brackets;
  }
  return 'none';
}

function printWaiting(printer: Printer, first: Waiting | null, position: 'before' | 'after'): void {
  for (let waiting = first; waiting !== null; waiting = waiting.outer) {
    const { node } = waiting;
    if (waiting.isPrinted || (position === 'before' && isOfMethod(node))) continue;
    waiting.isPrinted = true;
    const { scope } = printer;
    printer.scope = waiting.scope;
    if (node.kind === 'function') printSignature(printer, node, waiting.outer);
    else if (node.kind === 'array') printLength(printer, node, waiting.outer);
    else if (node.kind === 'modified') printModifier(printer, node);
    else printer.print(node.kind === 'local' ? withoutMethod(node) : node);
    printer.scope = scope;
    if (node.kind === 'function' || node.kind === 'array') return;
  }
}

function withoutMethod<T extends Node & { readonly name: Node }>(node: T): T {
  const { name } = node;
  if (name.kind === 'default-argument') return { ...node, name: { ...name, name: bare(name.name) } };
  return { ...node, name: bare(name) };
}

/** Qualifiers of an array qualify its items. */
export function printArray(printer: Printer, node: ArrayType): void {
  const { waiting } = printer;
  const around = printer.wait(node);
  const moved: Waiting[] = [];
  for (let at = waiting; at !== null && isQualifier(at.node); at = at.outer) {
    if (at.isPrinted) continue;
    at.isPrinted = true;
    moved.push(printer.wait(at.node));
  }
  printer.print(node.of);
  printer.waiting = waiting;
  if (around.isPrinted) return;
  for (const { node: qualifier, isPrinted } of moved.reverse())
    if (!isPrinted && qualifier.kind === 'modified') printModifier(printer, qualifier);
  printLength(printer, node, waiting);
}

function isQualifier(node: Node): boolean {
  return node.kind === 'modified' && (node.by === 'const' || node.by === 'volatile' || node.by === 'restrict');
}

function printLength(printer: Printer, { length }: ArrayType, waiting: Waiting | null): void {
  let first = waiting;
  while (first?.isPrinted === true) first = first.outer;
  const isOfArray = first !== null && first.node.kind === 'array';
  if (first !== null && !isOfArray) printer.write(' (');
  printWaiting(printer, waiting, 'before');
  if (first !== null && !isOfArray) printer.write(')');
  printer.write(isOfArray ? '[' : ' [');
  if (length !== null) printer.printAlone(length);
  printer.write(']');
}

/** Prints a function: its name and method qualifiers wait until the type prints them. */
export function printTyped(printer: Printer, { name, type }: Typed): void {
  const { waiting, scope } = printer;
  const inner = bare(name);
  const isLocal = inner.kind === 'local';
  const qualified = isLocal ? [name, localName(inner.name)] : [name];
  printer.waiting = null;
  for (const start of qualified) for (let at = start; isOfMethod(at); at = at.of) printer.wait(at);
  const own = printer.wait(inner);
  const template = isLocal ? bare(localName(inner.name)) : inner;
  if (template.kind === 'template') printer.scope = { template, outer: scope };
  printer.print(type);
  printer.scope = scope;
  for (let at: Waiting | null = own; at !== null; at = at.outer) if (!at.isPrinted) printLate(printer, at.node);
  printer.waiting = waiting;
}

function printLate(printer: Printer, node: Node): void {
  printer.write(' ');
  if (node.kind === 'modified') printModifier(printer, node);
  else printer.print(node);
}
