/**
 * Parses an encoding: a function, a variable, or what a compiler generates for a class.
 */

import { fail } from '../not-mangled.js';
import { type Cursor, isDigit } from './cursor.js';
import { bare, isOfMethod, type Node, parts } from './nodes.js';
import { parseTemplateArgs } from './template-args.js';
import { parseSignature } from './types.js';

/** Drops the parameters and the qualifiers of a method: binutils omits both at the top. */
export function parseTop(cursor: Cursor): Node {
  if (isSpecial(cursor)) return parseSpecial(cursor);
  const name = bare(cursor.grammar.name(cursor));
  return name.kind === 'local' ? { ...name, name: bare(name.name) } : name;
}

/** Parses an encoding inside another name: with its parameters. */
export function parseEncoding(cursor: Cursor): Node {
  if (isSpecial(cursor)) return parseSpecial(cursor);
  const name = cursor.grammar.name(cursor);
  if (cursor.peek() === '' || cursor.peek() === 'E') return name;
  const type = parseSignature(cursor, hasReturn(name) ? 'with-return' : 'without-return');
  const isInFunction = bare(name).kind === 'local';
  return { kind: 'typed', name, type: isInFunction && type.kind === 'function' ? { ...type, returns: null } : type };
}

/** Instances of function templates encode their return type, except constructors, destructors and conversions. */
function hasReturn(name: Node): boolean {
  if (isOfMethod(name)) return hasReturn(name.of);
  if (name.kind === 'local') return hasReturn(name.name);
  return name.kind === 'template' && !returnsNothing(name.name);
}

function returnsNothing(name: Node): boolean {
  if (name.kind === 'qualified' || name.kind === 'local') return returnsNothing(name.name);
  return name.kind === 'constructor' || name.kind === 'destructor' || name.kind === 'conversion';
}

function isSpecial(cursor: Cursor): boolean {
  return cursor.peek() === 'T' || cursor.peek() === 'G';
}

const OF_TYPES: Readonly<Record<string, string>> = {
  TV: 'vtable for ',
  TT: 'VTT for ',
  TI: 'typeinfo for ',
  TS: 'typeinfo name for ',
  TF: 'typeinfo fn for ',
  TJ: 'java Class for ',
};

const OF_NAMES: Readonly<Record<string, string>> = {
  TH: 'TLS init function for ',
  TW: 'TLS wrapper function for ',
  GV: 'guard variable for ',
};

function parseSpecial(cursor: Cursor): Node {
  const code = cursor.next() + cursor.next();
  if (code in OF_TYPES) return parts(OF_TYPES[code], cursor.grammar.type(cursor));
  if (code in OF_NAMES) return parts(OF_NAMES[code], cursor.grammar.name(cursor));
  return code[0] === 'T' ? parseThunk(cursor, code) : parseOfG(cursor, code);
}

function parseThunk(cursor: Cursor, code: string): Node {
  switch (code) {
    case 'Th':
      skipOffset(cursor, 'h');
      return parts('non-virtual thunk to ', cursor.grammar.encoding(cursor));
    case 'Tv':
      skipOffset(cursor, 'v');
      return parts('virtual thunk to ', cursor.grammar.encoding(cursor));
    case 'Tc':
      skipOffset(cursor, cursor.next());
      skipOffset(cursor, cursor.next());
      return parts('covariant return thunk to ', cursor.grammar.encoding(cursor));
    case 'TC': {
      const derived = cursor.grammar.type(cursor);
      if (isDigit(cursor.peek())) cursor.number();
      cursor.expect('_');
      return parts('construction vtable for ', cursor.grammar.type(cursor), '-in-', derived);
    }
    case 'TA':
      return parts('template parameter object for ', argsOf(cursor));
    default:
      return fail();
  }
}

function argsOf(cursor: Cursor): Node {
  return cursor.peek() === 'I' ? parseTemplateArgs(cursor) : cursor.grammar.type(cursor);
}

function parseOfG(cursor: Cursor, code: string): Node {
  switch (code) {
    case 'GR': {
      const name = cursor.grammar.name(cursor);
      const number = isDigit(cursor.peek()) ? cursor.number() : 0;
      return parts(`reference temporary #${number} for `, name);
    }
    case 'GA':
      return parts('hidden alias for ', cursor.grammar.encoding(cursor));
    case 'GT': {
      const isTransaction = cursor.next() !== 'n';
      return parts(`${isTransaction ? '' : 'non-'}transaction clone for `, cursor.grammar.encoding(cursor));
    }
    default:
      return fail();
  }
}

/** `h` has one number, `v` two; they are not printed. */
function skipOffset(cursor: Cursor, code: string): void {
  if (code !== 'h' && code !== 'v') fail();
  for (let left = code === 'h' ? 1 : 2; left > 0; left--) {
    cursor.skip('n');
    if (isDigit(cursor.peek())) cursor.number();
    cursor.expect('_');
  }
}
