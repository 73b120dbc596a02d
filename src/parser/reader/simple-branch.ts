/**
 * Selects the branches that the kernel may cache once the reference parser has read them.
 */

import { edgeOf, parseFlags } from '../lines/flags.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import type { BranchText } from './branch-ends.js';

/** Flags of branches that the kernel can parse itself. */
export const USUAL_FLAGS = [
  'call',
  'return',
  'jmp',
  'jcc',
  'syscall',
  'sysret',
  'int',
  'iret',
  'async',
  'tr strt',
  'tr end',
  'hw int',
].map((words) => {
  const { kind, edge } = parseFlags(words);
  return { words, kind, edge: edgeOf(kind, edge) };
});

export const ARROW = ' => ';
const MAX_LINE_LENGTH = 16 * 1024;

/** Returns the offset of the only arrow of a line, or -1: with several, its parts have no meaning by themselves. */
export function onlyArrow(line: string): number {
  const arrow = line.indexOf(ARROW);
  if (line.length > MAX_LINE_LENGTH || line.lastIndexOf(ARROW) !== arrow) return -1;
  return arrow;
}

/** Returns a line's branch, or null if it must not be cached: with unknown flags, which are counted, or not taken. */
export function simpleBranch(line: PerfLine): BranchText | null {
  if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return null;
  const { flags, from, to } = line;
  return { kind: flags.kind, edge: edgeOf(flags.kind, flags.edge), from, to };
}
