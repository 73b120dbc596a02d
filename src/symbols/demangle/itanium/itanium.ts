/**
 * Demangles C++ names (Itanium ABI) as `c++filt -p -i` does: without parameters.
 */

import { NotMangled } from '../not-mangled.js';
import { Cursor, type Grammar } from './cursor.js';
import { parseEncoding, parseTop } from './encoding.js';
import { parseExpression } from './expressions.js';
import { parseName } from './names.js';
import type { Node } from './nodes.js';
import { printName } from './print/print-node.js';
import { parseType } from './types.js';

const GRAMMAR: Grammar = {
  encoding: (cursor) => cursor.nested(parseEncoding),
  name: (cursor) => cursor.nested(parseName),
  type: (cursor) => cursor.nested(parseType),
  expression: (cursor) => cursor.nested(parseExpression),
};

/** Longer names are not demangled. */
const MAX_BYTES = 50_000;
/** gcc's names for code that initialises variables before main. */
const GLOBAL = /^_GLOBAL_[._$]([ID])_/;

/** Returns null if it is not a C++ name. */
export function demangleItanium(mangled: string): string | null {
  if (mangled.length > MAX_BYTES) return null;
  if (mangled.startsWith('_Z')) return demangleAt(mangled, 2, parseTop);
  const [all, kind] = GLOBAL.exec(mangled) ?? [];
  if (all === undefined) return null;
  const rest = mangled.slice(all.length);
  const name = rest.startsWith('_Z') ? demangleAt(rest, 2, parseEncoding) : rest;
  return name === null ? null : `global ${kind === 'I' ? 'con' : 'de'}structors keyed to ${name}`;
}

/** As `demangleItanium`, with parameters, and with what an instance of a template returns. */
export function demangleWithParameters(mangled: string): string | null {
  return mangled.length <= MAX_BYTES && mangled.startsWith('_Z') ? demangleAt(mangled, 2, parseEncoding) : null;
}

function demangleAt(mangled: string, start: number, parse: (cursor: Cursor) => Node): string | null {
  const cursor = new Cursor(mangled, GRAMMAR);
  cursor.at = start;
  try {
    return printName(parse(cursor));
  } catch (error) {
    if (error instanceof NotMangled) return null;
    throw error;
  }
}
