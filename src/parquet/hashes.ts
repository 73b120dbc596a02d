/**
 * Functions and call paths → 64-bit numbers that are the same in every recording, so that other tools merge by them.
 */
import { hash } from 'node:crypto';
import type { CallTree } from '../model/calls/call-tree.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { dsoOf } from '../model/symbol-table.js';
import { NONE } from '../model/units.js';

/** The path of a thread's root, which is the parent of the first functions. */
const ROOT_PATH = 0n;

/** Returns the number of a function: of its name and file as a netstring, "4:main/usr/bin/app". `file`: null is unknown. */
export function functionHash(name: string, file: string | null): bigint {
  return firstBits(`${Buffer.byteLength(name)}:${name}${file ?? ''}`);
}

/** Returns the number of each function. */
export function functionHashes(symbols: SymbolTable): BigInt64Array {
  return BigInt64Array.from(symbols.name, (name, symbol) => functionHash(name, dsoOf(symbols, symbol)));
}

/** Returns the number of each node's path: of its parent's and of its function's. */
export function pathHashes(
  { length, parent, symbol }: Pick<CallTree, 'length' | 'parent' | 'symbol'>,
  functions: BigInt64Array,
): BigInt64Array {
  const paths = new BigInt64Array(length).fill(ROOT_PATH, 0, 1);
  const pair = new DataView(new ArrayBuffer(16));
  for (let node = 1; node < length; node++) {
    pair.setBigInt64(0, paths[parent[node]]);
    pair.setBigInt64(8, functions[symbol[node]]);
    paths[node] = firstBits(pair);
  }
  return paths;
}

const BITS = new DataView(new ArrayBuffer(8));

/** Takes the hash as a text: as a buffer, it takes twice as long. */
function firstBits(data: string | DataView): bigint {
  const bytes = hash('sha256', data, 'binary');
  for (let at = 0; at < BITS.byteLength; at++) BITS.setUint8(at, bytes.charCodeAt(at));
  return BITS.getBigInt64(0);
}

// Names and numbers of functions in memory that workers share: a worker writes names that it never had as texts.

/** Plain data. */
export interface SharedNames {
  /** By symbol. */
  readonly hashes: BigInt64Array;
  readonly names: SharedTexts;
  readonly files: SharedTexts;
}

/** Different texts, one after another, in UTF-8. */
export interface SharedTexts {
  /** By symbol: its text; NONE if it has none. */
  readonly ofSymbol: Int32Array;
  readonly bytes: Uint8Array;
  /** By text, and one more: where they begin. */
  readonly starts: Float64Array;
}

export function sharedNames(symbols: SymbolTable): SharedNames {
  const hashes = functionHashes(symbols);
  const shared = new BigInt64Array(new SharedArrayBuffer(hashes.byteLength));
  shared.set(hashes);
  const files = symbols.name.map((_, symbol) => dsoOf(symbols, symbol));
  return { hashes: shared, names: sharedTexts(symbols.name), files: sharedTexts(files) };
}

/** `texts`: by symbol. */
function sharedTexts(texts: readonly (string | null)[]): SharedTexts {
  const distinct = [...new Set(texts.filter((text) => text !== null))];
  const rowOf = new Map<string | null, number>(distinct.map((text, row) => [text, row]));
  const ofSymbol = new Int32Array(new SharedArrayBuffer(4 * texts.length));
  ofSymbol.set(texts.map((text) => rowOf.get(text) ?? NONE));
  const encoded = distinct.map((text) => Buffer.from(text));
  const starts = new Float64Array(new SharedArrayBuffer(8 * (encoded.length + 1)));
  encoded.forEach(({ length }, row) => {
    starts[row + 1] = starts[row] + length;
  });
  const bytes = new Uint8Array(new SharedArrayBuffer(starts[encoded.length]));
  encoded.forEach((text, row) => {
    bytes.set(text, starts[row]);
  });
  return { ofSymbol, bytes, starts };
}

export function textCount({ starts }: SharedTexts): number {
  return starts.length - 1;
}

export function textAt({ bytes, starts }: SharedTexts, text: number): Uint8Array {
  return bytes.subarray(starts[text], starts[text + 1]);
}
