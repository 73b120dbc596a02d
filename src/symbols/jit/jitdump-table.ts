/**
 * Finds the function whose code is at an offset of a jitdump.
 */
import type { Demangle } from '../table/symbol-rows.js';
import type { SymbolTable } from '../table/symbol-table.js';
import type { JitDump } from './jitdump.js';

export function jitDumpTable({ functions }: JitDump, demangle: Demangle): SymbolTable {
  const inOrder = [...functions].sort((a, b) => a.fileOffset - b.fileOffset); // moved functions are listed again
  return {
    length: functions.length,
    find(offset) {
      let [from, to] = [0, inOrder.length];
      while (from < to) {
        const middle = (from + to) >>> 1;
        const { fileOffset, length } = inOrder[middle];
        if (offset < fileOffset) to = middle;
        else if (offset >= fileOffset + length) from = middle + 1;
        else return foundIn(inOrder[middle], demangle);
      }
      return null;
    },
  };
}

function foundIn({ name, fileOffset, length }: JitDump['functions'][number], demangle: Demangle) {
  return { name: demangle(name) ?? name, start: fileOffset, end: fileOffset + length };
}
