/**
 * Parses one end of a branch: `401260 leaf+0x4 (/opt/demo)`.
 */
import { UNKNOWN_NAME } from '../../model/symbol-table.js';
import type { Address } from '../../model/units.js';

export interface LocationText {
  readonly address: Address;
  /** null for `[unknown]`, or if perf printed no symbol. */
  readonly name: string | null;
  /** NaN if none was printed, or an impossible one. */
  readonly offset: number;
  readonly dso: string | null;
  /** Offset of the address in that file (perf script -F +dsoff); NaN if not printed. */
  readonly fileOffset: number;
}

/** If the address is outside the symbol, perf's offset wraps around modulo 2^64: `memcpy@plt+0xffffffffff22f000`. */
const MAX_OFFSET = 2 ** 24;

const FILE = /^(.*(?:\+0x[0-9a-f]+|\[unknown\])) \((.*)\)$/s;
const FILE_AFTER_ADDRESS = /^([0-9a-f]{1,16}) \(([^)]*(?: \(deleted\))?)\)$/;
const FILE_AFTER_BARE_NAME = /^(.*) \(([/[].*)\)$/s;
const OFFSET = /^(.*)\+0x([0-9a-f]{1,16})$/s;

/** Parses at most 13 digits, which a number holds exactly; NaN for anything else. */
function hexNumber(text: string, start: number, end: number): number {
  if (end === start || end - start > 13) return Number.NaN;
  let value = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : Number.NaN;
    value = value * 16 + digit;
  }
  return value;
}

export function parseLocation(text: string): LocationText {
  const file = text.endsWith(')') ? splitFile(text) : null;
  const bare = file ? file[1] : text;
  const inFile = parseFile(file ? file[2] : null);
  const blank = bare.indexOf(' ');
  const address = parseAddress(blank === -1 ? bare : bare.slice(0, blank));
  const symbol = blank === -1 ? '' : bare.slice(blank + 1).trimStart();
  if (symbol === '' || symbol === UNKNOWN_NAME) return { address, name: null, offset: Number.NaN, ...inFile };
  const withOffset = OFFSET.exec(symbol);
  if (withOffset === null) return { address, name: symbol, offset: Number.NaN, ...inFile };
  const offset = Number.parseInt(withOffset[2], 16);
  const name = withOffset[1] || null;
  return { address, name, offset: offset > MAX_OFFSET ? Number.NaN : offset, ...inFile };
}

/** For text that ends in ")" only: the expressions backtrack on any other. */
function splitFile(text: string): RegExpExecArray | null {
  return FILE.exec(text) ?? FILE_AFTER_ADDRESS.exec(text) ?? FILE_AFTER_BARE_NAME.exec(text);
}

/** Parses the text in the brackets, `/usr/lib/liblzma.so.5+0x1a2b0`; the offset needs `-F +dsoff`. */
function parseFile(printed: string | null): Pick<LocationText, 'dso' | 'fileOffset'> {
  const [, file = printed, offset = ''] = OFFSET.exec(printed ?? '') ?? [];
  const dso = knownFile(file);
  return { dso, fileOffset: dso === null ? Number.NaN : hexNumber(offset, 0, offset.length) };
}

/** Returns the file that perf printed in brackets; null for the words it prints instead of one. */
export function knownFile(printed: string | null): string | null {
  return printed === UNKNOWN_NAME || printed === 'inlined' ? null : printed;
}

/**
 * Parses at most 16 digits. The upper half of the address space becomes negative, so that kernel addresses stay exact.
 */
export function parseAddress(hex: string): Address {
  if (hex.length < 16) return Number.parseInt(hex, 16);
  const high = Number.parseInt(hex.slice(0, 8), 16);
  const low = Number.parseInt(hex.slice(8), 16);
  return (high >= 2 ** 31 ? high - 2 ** 32 : high) * 2 ** 32 + low;
}
