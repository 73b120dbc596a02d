/**
 * The branch of a line in its usual form, without any search: flags in one word or two, two addresses, their symbols.
 *
 *     "   call                       401163 main+0xa3 =>           401260 leaf+0x0"
 *
 * Whatever looks otherwise, in any way, is for the tolerant parser (perf-line.ts), which says the same of these.
 */
import type { Origin } from './branch-ends.js';
import { edgeOf, parseFlags } from './flags.js';
import type { PerfLine } from './perf-line.js';

/** A branch as perf prints its two ends. */
export interface BranchText extends Origin {
  readonly to: string;
}

const WORDS = [
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
];
const FLAGS = new Map(
  WORDS.map((words) => {
    const { kind, edge } = parseFlags(words);
    return [words, { kind, edge: edgeOf(kind, edge) }];
  }),
);
export const ARROW = ' => ';
const LONGEST_LINE = 16 * 1024;
const BLANK = 32;
const MOST_DIGITS = 16;
/** What perf may print behind a target. */
const TAIL = /[\t]| ilen:| insn:| $/;

/** `start`: behind the time in a line that has one arrow, at `arrow`. null: it looks otherwise. */
export function usualBranch(line: string, start: number, arrow: number): BranchText | null {
  const flagsStart = afterBlanks(line, start);
  const flagsEnd = line.indexOf('  ', flagsStart);
  const flags = flagsEnd === -1 ? undefined : FLAGS.get(line.slice(flagsStart, flagsEnd));
  if (flags === undefined) return null;
  const fromStart = afterBlanks(line, flagsEnd);
  const toStart = afterBlanks(line, arrow + ARROW.length);
  if (!isLocation(line, fromStart, arrow) || !isLocation(line, toStart, line.length)) return null;
  const to = line.slice(toStart);
  return TAIL.test(to) ? null : { ...flags, from: line.slice(fromStart, arrow), to };
}

function afterBlanks(line: string, start: number): number {
  let at = start;
  while (line.charCodeAt(at) === BLANK) at++;
  return at;
}

/** An address, one blank, and something that is none. */
function isLocation(line: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && isHexDigit(line.charCodeAt(at))) at++;
  const digits = at - start;
  if (digits === 0 || digits > MOST_DIGITS || at + 1 >= end) return false;
  return line.charCodeAt(at) === BLANK && line.charCodeAt(at + 1) !== BLANK;
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
}

/**
 * Where the only arrow of a line stands, or -1: with more than one the parts of a line mean something together only.
 */
export function onlyArrow(line: string): number {
  const arrow = line.indexOf(ARROW);
  if (line.length > LONGEST_LINE || line.lastIndexOf(ARROW) !== arrow) return -1;
  return arrow;
}

/** What the tolerant parser says of a line, if it is such a branch: lines with unknown flags are counted, and branches that were not taken mean nothing. */
export function plainBranch(line: PerfLine): BranchText | null {
  if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return null;
  const { flags, from, to } = line;
  return { kind: flags.kind, edge: edgeOf(flags.kind, flags.edge), from, to };
}
