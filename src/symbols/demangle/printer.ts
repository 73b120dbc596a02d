/**
 * The state of the printer: the text so far, the context of the current node, and what template parameters stand for there.
 */
import { fail } from './cursor.js';
import type { List, Modified, Node, Template } from './nodes.js';

/** Which arguments `T_` refers to: those of the innermost template. */
export interface Scope {
  readonly template: Template;
  readonly outer: Scope | null;
}

/**
 * A node that is printed in the middle of the type inside it, or after it: in `int (*name)(char)`, the pointer and the name
 * wait until the function type has printed its return type.
 */
export interface Waiting {
  readonly node: Node;
  readonly scope: Scope | null;
  readonly outer: Waiting | null;
  isPrinted: boolean;
}

/** Real names have a few thousand characters; a hostile one doubles with each character. */
const MAX_LENGTH = 100_000;
const MAX_STEPS = 200_000;
const MAX_DEPTH = 500;

export class Printer {
  text = '';
  /** The last character; reading it from the text would flatten the string each time. */
  last = '';
  waiting: Waiting | null = null;
  scope: Scope | null = null;
  /** The template being printed; a conversion in it may refer to its arguments. */
  template: Template | null = null;
  /** The current item of each pack: outside an expansion the first or the last printed one. NONE prints all. */
  packIndex = 0;
  lambdaDepth = 0;
  /** The nodes being printed, the innermost last. */
  readonly path: Node[] = [];
  /** The scope of each referenced parameter's first use. */
  readonly scopeOfParameter = new Map<Node, Scope | null>();
  private steps = 0;

  constructor(private readonly dispatch: (printer: Printer, node: Node) => void) {}

  print(node: Node): void {
    if (++this.steps > MAX_STEPS || this.path.length > MAX_DEPTH) fail();
    this.path.push(node);
    this.dispatch(this, node);
    this.path.pop();
  }

  write(text: string): void {
    if (text === '') return;
    this.text += text;
    this.last = text[text.length - 1];
    if (this.text.length > MAX_LENGTH) fail();
  }

  /** Cuts the text to an earlier length, but keeps `last`. */
  cut(length: number): void {
    this.text = this.text.slice(0, length);
  }

  /** Prints a type of its own, such as a parameter, without the waiting nodes. */
  printAlone(node: Node): void {
    const { waiting } = this;
    this.waiting = null;
    this.print(node);
    this.waiting = waiting;
  }

  /** Prints a node while the one around it waits. Returns whether that has been printed on the way. */
  printInside(inside: Node, waiting: Node): boolean {
    const around = this.wait(waiting);
    this.print(inside);
    this.waiting = around.outer;
    return around.isPrinted;
  }

  wait(node: Node): Waiting {
    this.waiting = { node, scope: this.scope, outer: this.waiting, isPrinted: false };
    return this.waiting;
  }

  inScope(scope: Scope | null, print: () => void): void {
    const before = this.scope;
    this.scope = scope;
    print();
    this.scope = before;
  }
}

// Prints `T_` and packs as the arguments of the enclosing template.

/** Prints the argument; in a lambda, which has no template arguments, `auto:1`. */
export function printParameter(printer: Printer, index: number): void {
  if (printer.lambdaDepth > 0) {
    printer.write(`auto:${index + 1}`);
    return;
  }
  const argument = argumentOf(printer, index);
  // the argument's own parameters belong to the template outside
  printer.inScope(printer.scope?.outer ?? null, () => printer.print(argument));
}

function argumentOf(printer: Printer, index: number): Node {
  const argument = fullArgument(printer, index);
  return argument.kind === 'list' ? itemOf(argument, printer.packIndex) : argument;
}

function fullArgument({ scope }: Printer, index: number): Node {
  return scope?.template.args.items[index] ?? fail();
}

function itemOf(pack: List, index: number): Node {
  return index < 0 ? pack : (pack.items[index] ?? fail());
}

/** Collapses references: `T&` is `T` if `T` is a reference. Returns the argument itself if nothing collapses. */
export function printReference(printer: Printer, reference: Modified): Modified {
  const { of, by } = reference;
  if (of.kind !== 'parameter' || printer.lambdaDepth > 0) return collapsed(reference, of, by);
  return collapsed(reference, argumentOf(printer, of.index), by);
}

function collapsed(reference: Modified, of: Node, by: Modified['by']): Modified {
  if (of.kind !== 'modified') return reference;
  if (of.by === 'reference' || of.by === by) return of;
  return of.by === 'rvalue' ? { ...reference, of: of.of } : reference;
}

/** Prints `pattern...` once for each item of the pack. */
export function printExpansion(printer: Printer, pattern: Node): void {
  const pack = packIn(printer, pattern);
  if (pack === null) {
    printOperand(printer, pattern);
    printer.write('...');
    return;
  }
  pack.items.forEach((_, index) => {
    if (index > 0) printer.write(', ');
    printer.packIndex = index;
    printer.print(pattern);
  });
}

/** Prints names as they are, everything else in brackets. */
export function printOperand(printer: Printer, node: Node): void {
  const isSimple = node.kind === 'text' || node.kind === 'qualified' || (node.kind === 'parts' && node.isSimple);
  if (isSimple) printer.print(node);
  else printInBrackets(printer, node);
}

export function printInBrackets(printer: Printer, node: Node): void {
  printer.write('(');
  printer.print(node);
  printer.write(')');
}

/** Returns the first pack in a pattern. */
export function packIn(printer: Printer, node: Node): List | null {
  if (node.kind === 'parameter') {
    if (printer.lambdaDepth > 0) return null;
    const argument = (printer.scope ?? fail()).template.args.items[node.index];
    return argument?.kind === 'list' ? argument : null;
  }
  for (const child of childrenOf(node)) {
    const pack = packIn(printer, child);
    if (pack !== null) return pack;
  }
  return null;
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'qualified':
    case 'local':
      return [node.scope, node.name];
    case 'typed':
      return [node.name, node.type];
    case 'template':
      return [node.name, node.args];
    case 'modified':
      return node.detail === null ? [node.of] : [node.of, node.detail];
    case 'function':
      return node.returns === null ? [node.parameters] : [node.returns, node.parameters];
    case 'array':
      return node.length === null ? [node.of] : [node.length, node.of];
    case 'list':
      return node.items;
    case 'parts':
      return node.parts.filter((part) => typeof part !== 'string');
    case 'literal':
    case 'conversion':
    case 'cast':
      return [node.type];
    case 'operand':
      return [node.of];
    case 'unary':
      return [node.operator, node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'fold':
      return node.operands;
    case 'ternary':
      return [node.condition, node.yes, node.no];
    default:
      return [];
  }
}
