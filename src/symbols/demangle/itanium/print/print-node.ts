/**
 * Prints the tree of a name as `c++filt` does.
 */
import type { List, Node, Template } from '../nodes.js';
import { bare } from '../nodes.js';
import { printArgs, printExpression, printLiteral } from './print-expressions.js';
import { printParameter } from './print-parameters.js';
import { printArray, printFunction, printModified, printTyped } from './print-types.js';
import { Printer } from './printer.js';

export function printName(node: Node): string {
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
