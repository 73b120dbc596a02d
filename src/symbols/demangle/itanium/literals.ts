/**
 * Parses literals: `Li5E`, `L_Z3fooE`.
 */

import { fail } from '../not-mangled.js';
import type { Cursor } from './cursor.js';
import type { Node } from './nodes.js';

export function parseLiteral(cursor: Cursor): Node {
  cursor.expect('L');
  if (cursor.skip('_Z') || cursor.skip('Z')) {
    const encoding = cursor.grammar.encoding(cursor);
    cursor.expect('E');
    return encoding;
  }
  const type = cursor.grammar.type(cursor);
  if (type.kind === 'text' && type.literals === 'null' && cursor.skip('E')) return type;
  const isNegative = cursor.skip('n');
  const end = cursor.text.indexOf('E', cursor.at);
  if (end === -1 || end === cursor.at) fail();
  const text = cursor.text.slice(cursor.at, end);
  cursor.at = end + 1;
  return { kind: 'literal', type, text, isNegative };
}
