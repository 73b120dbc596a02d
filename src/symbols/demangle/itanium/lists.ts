/**
 * Parses a list up to the letter that ends it.
 */

import { fail } from '../not-mangled.js';
import type { Cursor } from './cursor.js';
import type { List, Node } from './nodes.js';

export function parseList(cursor: Cursor, parse: () => Node, end: string): List {
  const items: Node[] = [];
  while (!cursor.skip(end)) {
    if (cursor.peek() === '') fail();
    items.push(parse());
  }
  return { kind: 'list', items };
}
