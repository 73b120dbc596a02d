/**
 * Parses qualifiers: `const`, `volatile`, `noexcept` and the like.
 */
import type { Cursor } from './cursor.js';
import { parseList } from './lists.js';
import { type Modifier, modified, type Node } from './nodes.js';

const QUALIFIERS: Readonly<Record<string, Modifier>> = { r: 'restrict', V: 'volatile', K: 'const' };

export function seesQualifier(cursor: Cursor): boolean {
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
