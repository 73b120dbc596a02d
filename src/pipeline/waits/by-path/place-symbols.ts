/**
 * Says for each call path in which function of the program it is, rather than of the libraries that wait and wake.
 */
import { isStop } from '../../../analysis/tree/outside.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import type { Shape } from '../../../model/calls/overlay.js';
import { dsoOf } from '../../../model/names/symbol-order.js';
import type { SymbolTable } from '../../../model/names/symbol-table.js';
import { NONE } from '../../../model/units.js';

/** The C and C++ libraries, the loader, and the kernel. */
const SYSTEM_LIBRARY = /(^|\/)(libc|libpthread|librt|libstdc\+\+|libc\+\+|libgcc_s|ld)(-[\w.-]*)?\.so|^\[/;

/** By node: the innermost function of the program; without one, the function on top; NONE: no function. */
export function placeSymbols({ length, parent, symbol }: Shape, symbols: SymbolTable): Int32Array {
  const isSystem = symbols.name.map((_, row) => SYSTEM_LIBRARY.test(dsoOf(symbols, row) ?? ''));
  const place = new Int32Array(length).fill(NONE);
  const isInProgram = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const own = symbol[node];
    const isOfProgram = !isStop(own) && !isSystem[own];
    const wasInProgram = isInProgram[parent[node]] === 1;
    isInProgram[node] = isOfProgram || wasInProgram ? 1 : 0;
    place[node] = isOfProgram || !(wasInProgram || isStop(own)) ? own : place[parent[node]];
  }
  return place;
}
