/**
 * Branches that are nothing but that: what the kernel learns, once the tolerant parser has read it.
 */

import { edgeOf, parseFlags } from '../lines/flags.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import type { BranchText } from './branch-ends.js';

/** Flags of branches in the form that the kernel reads by itself. */
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

/**
 * Where the only arrow of a line stands, or -1: with more than one the parts of a line mean something together only.
 */
export function onlyArrow(line: string): number {
  const arrow = line.indexOf(ARROW);
  if (line.length > MAX_LINE_LENGTH || line.lastIndexOf(ARROW) !== arrow) return -1;
  return arrow;
}

/** The branch that a line tells of, if it is plain: lines with unknown flags are counted, and branches that were not taken mean nothing. */
export function simpleBranch(line: PerfLine): BranchText | null {
  if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return null;
  const { flags, from, to } = line;
  return { kind: flags.kind, edge: edgeOf(flags.kind, flags.edge), from, to };
}
