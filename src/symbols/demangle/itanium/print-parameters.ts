/**
 * Prints `T_` and packs as the arguments of the enclosing template.
 */
import { fail } from '../not-mangled.js';
import type { List, Modified, Node } from './nodes.js';
import type { Printer } from './printer.js';

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
