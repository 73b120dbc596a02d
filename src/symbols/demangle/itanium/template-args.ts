/**
 * Parses template arguments: `I…E`.
 */

import { fail } from '../not-mangled.js';
import type { Cursor } from './cursor.js';
import { parseList } from './lists.js';
import { parseLiteral } from './literals.js';
import type { List, Node } from './nodes.js';

export function parseTemplateArgs(cursor: Cursor): List {
  if (!cursor.skip('I') && !cursor.skip('J')) fail();
  const { lastName } = cursor; // the constructor of a template is not named after its last argument
  const args = parseList(cursor, () => parseTemplateArg(cursor), 'E');
  cursor.lastName = lastName;
  return args;
}

function parseTemplateArg(cursor: Cursor): Node {
  switch (cursor.peek()) {
    case 'X': {
      cursor.at++;
      const expression = cursor.grammar.expression(cursor);
      cursor.expect('E');
      return expression;
    }
    case 'L':
      return parseLiteral(cursor);
    case 'I':
    case 'J':
      return cursor.nested(parseTemplateArgs);
    default:
      return cursor.grammar.type(cursor);
  }
}
