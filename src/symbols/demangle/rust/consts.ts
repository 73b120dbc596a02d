/**
 * Reads constants among generic arguments: numbers, booleans, characters.
 */
import { fail } from '../not-mangled.js';
import type { RustCursor } from './cursor.js';

export function readConst(cursor: RustCursor): void {
  if (cursor.skip('B')) return cursor.backReference(() => readConst(cursor));
  const type = cursor.next();
  if (type === 'p') return cursor.write('_');
  const sign = 'aslxni'.includes(type) && cursor.skip('n') ? '-' : '';
  let hex = '';
  while (!cursor.skip('_')) hex += cursor.next();
  if (!/^[0-9a-f]*$/.test(hex)) fail();
  cursor.write(constText(type, sign, hex));
}

function constText(type: string, sign: string, hex: string): string {
  const value = hex === '' ? 0n : BigInt(`0x${hex}`);
  if (type === 'b') return value === 0n ? 'false' : value === 1n ? 'true' : fail();
  if (type === 'c') return characterText(value);
  if (!'aslxnihtmyoj'.includes(type)) fail();
  // of more than 64 bits, binutils drops the first digit
  return sign + (hex.length > 16 ? `0x${hex.slice(1)}_` : String(value));
}

const ESCAPED: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n', "'": "\\'", '\\': '\\\\' };

function characterText(value: bigint): string {
  if (value > 0x10ffffn) fail();
  const character = String.fromCodePoint(Number(value));
  const isPrinted = value >= 0x20n && value < 0x7fn;
  return `'${ESCAPED[character] ?? (isPrinted ? character : `\\u{${value.toString(16)}}`)}'`;
}
