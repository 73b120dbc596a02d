/**
 * Functions and call paths → 64-bit numbers that are the same in every recording, so that other tools merge by them.
 */
import { hash } from 'node:crypto';
import type { CallTree } from '../model/calls/call-tree.js';
import { dsoOf } from '../model/names/symbol-order.js';
import type { SymbolTable } from '../model/names/symbol-table.js';

/** The path of a thread's root, which is the parent of the first functions. */
export const ROOT_PATH = 0n;

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
