/**
 * Functions and call paths → 64-bit numbers that are the same in every recording, so that other tools merge by them.
 */
import { hash } from 'node:crypto';
import type { CallTree } from '../../model/calls/call-tree.js';
import { dsoOf } from '../../model/names/symbol-order.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';

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
  const pair = Buffer.alloc(16);
  for (let node = 1; node < length; node++) {
    pair.writeBigInt64BE(paths[parent[node]], 0);
    pair.writeBigInt64BE(functions[symbol[node]], 8);
    paths[node] = firstBits(pair);
  }
  return paths;
}

function firstBits(data: string | Buffer): bigint {
  return hash('sha256', data, 'buffer').readBigInt64BE(0);
}
