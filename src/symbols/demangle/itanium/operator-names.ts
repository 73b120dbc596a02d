/**
 * Parses names of operators: `pl`, `cvi`, `li3foo`, `v13foo`.
 */

import { fail } from '../not-mangled.js';
import { type Cursor, isDigit } from './cursor.js';
import type { Node } from './nodes.js';
import { operatorOf } from './operators.js';
import { parseSourceName } from './source-name.js';

export function parseOperatorName(cursor: Cursor): Node {
  const code = cursor.next() + cursor.next();
  if (code === 'cv') return parseConversion(cursor);
  if (code[0] === 'v' && isDigit(code[1])) return operatorText(` ${parseSourceName(cursor)}`);
  if (code === 'li') return operatorText(`"" ${parseSourceName(cursor)}`);
  return operatorOf(code)?.operator ?? fail();
}

function operatorText(symbol: string): Node {
  return { kind: 'parts', parts: [`operator${symbol}`], isSimple: true };
}

function parseConversion(cursor: Cursor): Node {
  const { isInConversion } = cursor;
  cursor.isInConversion = !cursor.isInExpression;
  const isCast = cursor.isInExpression;
  const type = cursor.grammar.type(cursor);
  cursor.isInConversion = isInConversion;
  return isCast ? { kind: 'cast', type } : { kind: 'conversion', type };
}
