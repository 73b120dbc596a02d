/**
 * Finds where the functions of binaries begin in source code.
 */

import type { SourceLine } from '../../model/names/symbol-table.js';
import { sourceLines } from '../dwarf/source-lines.js';
import { askDebugInfo, type DebugInfoOptions, type TracedFunction } from './debug-info.js';

/** Returns the line at which each function of a binary begins; null where unknown. */
export function functionLines(
  file: string,
  functions: readonly TracedFunction[],
  options: DebugInfoOptions,
): (SourceLine | null)[] {
  const lines = new Array<SourceLine | null>(functions.length).fill(null);
  const code = functions.map((fn) => ({ fn, offset: fn.offset }));
  askDebugInfo(file, code, '.debug_line', sourceLines, options, (row, line) => {
    lines[row] = line;
  });
  return lines;
}
