/**
 * Resolves substitutions (`S_`, `St`, `Ss` …) and parses template parameters (`T_`).
 */

import { fail } from '../not-mangled.js';
import { type Cursor, isDigit, isUpper } from './cursor.js';
import type { Node } from './nodes.js';

interface Standard {
  readonly short: string;
  /** Used before a constructor: `std::basic_string<…>::basic_string`. */
  readonly full: string;
  readonly lastName: string | null;
}

const CHAR_TRAITS = 'std::char_traits<char>';
const STANDARD: Readonly<Record<string, Standard>> = {
  t: { short: 'std', full: 'std', lastName: null },
  a: { short: 'std::allocator', full: 'std::allocator', lastName: 'allocator' },
  b: { short: 'std::basic_string', full: 'std::basic_string', lastName: 'basic_string' },
  s: {
    short: 'std::string',
    full: `std::basic_string<char, ${CHAR_TRAITS}, std::allocator<char> >`,
    lastName: 'basic_string',
  },
  i: { short: 'std::istream', full: `std::basic_istream<char, ${CHAR_TRAITS} >`, lastName: 'basic_istream' },
  o: { short: 'std::ostream', full: `std::basic_ostream<char, ${CHAR_TRAITS} >`, lastName: 'basic_ostream' },
  d: { short: 'std::iostream', full: `std::basic_iostream<char, ${CHAR_TRAITS} >`, lastName: 'basic_iostream' },
};

/** In a prefix, a constructor may follow. */
export type SubstitutionContext = 'type' | 'prefix';

export function parseSubstitution(cursor: Cursor, context: SubstitutionContext): Node {
  cursor.expect('S');
  const next = cursor.peek();
  if (next === '_' || isDigit(next) || isUpper(next)) return cursor.seen[sequenceNumber(cursor)] ?? fail();
  const standard = STANDARD[cursor.next()] ?? fail();
  if (standard.lastName !== null) cursor.lastName = standard.lastName;
  const isFull = context === 'prefix' && (cursor.peek() === 'C' || cursor.peek() === 'D');
  return { kind: 'text', text: isFull ? standard.full : standard.short, isStandard: true };
}

/** `_` is 0, `0_` is 1, … `Z_` is 36, `10_` is 37. */
function sequenceNumber(cursor: Cursor): number {
  if (cursor.skip('_')) return 0;
  let value = 0;
  while (!cursor.skip('_')) {
    const character = cursor.next();
    if (!isDigit(character) && !isUpper(character)) fail();
    value = value * 36 + Number.parseInt(character, 36);
    if (value > cursor.text.length) fail(); // a name has fewer substitutions than letters
  }
  return value + 1;
}

export function parseTemplateParameter(cursor: Cursor): Node {
  cursor.expect('T');
  return { kind: 'parameter', index: cursor.compactNumber() };
}
