/**
 * The kinds of lines that `perf script` prints, and the flags that name the kind of a branch.
 */

import { BranchKind, TraceEdge } from '../../model/trace/branch-sites.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { SidebandRecord } from '../../model/trace/trace-chunk.js';
import type { Address } from '../../model/units.js';
import type { SampleText } from './sample-line.js';

/** The columns before the event; `pid`, `cpu`, `comm` and `time` are null if they were not printed. */
export interface Prefix {
  readonly comm: string | null;
  readonly pid: number | null;
  readonly tid: number;
  readonly cpu: number | null;
  readonly time: PerfTime | null;
}

export type PerfLine =
  | {
      readonly type: 'branch';
      readonly prefix: Prefix;
      readonly flags: Flags;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: 'error';
      readonly time: PerfTime | null;
      readonly cpu: number; // -1 if unknown, like pid and tid
      readonly pid: number;
      readonly tid: number;
      readonly ip: Address; // NaN if unknown
      readonly code: number;
      readonly message: string;
    }
  | { readonly type: 'sideband'; readonly prefix: Prefix; readonly record: SidebandRecord }
  /** It has a time. `sample` is null if perf did not print which event it is, and it is none of the usual ones. */
  | { readonly type: 'sample'; readonly prefix: Prefix; readonly sample: SampleText | null }
  /** A sample of an event that is not used, such as cycles; null: perf did not print its name. */
  | { readonly type: 'other'; readonly event: string | null }
  /** Valid, but nothing to replay: blank lines, headers, source lines, call chains, events of Intel PT. */
  | { readonly type: 'ignored' }
  | { readonly type: 'damaged'; readonly reason: string };

/** Parses perf's flag column, the kind of a branch, in every spelling of perf 5.x to 6.15 and later. */
interface Flags {
  readonly kind: BranchKind;
  readonly edge: TraceEdge;
  /** Arm only. */
  readonly notTaken: boolean;
  /** The text, if no known perf prints it; the branch then counts as a jump. */
  readonly unknown: string | null;
}

const KINDS: ReadonlyMap<string, BranchKind> = new Map([
  ['call', BranchKind.Call],
  ['return', BranchKind.Return],
  ['jmp', BranchKind.Jump],
  ['jcc', BranchKind.Jump],
  ['br miss', BranchKind.Jump],
  ['syscall', BranchKind.Syscall],
  ['sysret', BranchKind.Sysret],
  ['hw int', BranchKind.Interrupt],
  ['int', BranchKind.Interrupt],
  ['iret', BranchKind.Iret],
  ['async', BranchKind.Async],
  ['tx abrt', BranchKind.TxAbort],
  ['vmentry', BranchKind.VmEntry],
  ['vmexit', BranchKind.VmExit],
]);

/** One letter per flag, for a combination without a name: "bcos". */
const LETTERS = /^[bcrosyiABExghDt?]+$/;
const EDGE = /^(tr strt tr end|tr strt|tr end)(?: +|$)/;
const NO_KIND = { kind: BranchKind.None, edge: TraceEdge.None, notTaken: false, unknown: null } as const;

/**
 * Parses the trimmed flag column.
 *
 * perf ≤ 6.14 prints "tr strt", perf ≥ 6.15 "tr strt jmp". A suffix "(x)", "(D)", "(t)" or "()" only means that a
 * transaction ran or that interrupts were off. "/miss,not_taken/" is Arm's.
 */
export function parseFlags(text: string): Flags {
  const bare = text.replace(/(?<! ) *\([xDt]*\)$/, '');
  if (bare.startsWith('raw flags:0x')) return parseRawFlags(Number.parseInt(bare.slice(12), 16));
  const edgeWords = EDGE.exec(bare);
  const words = edgeWords ? bare.slice(edgeWords[0].length) : bare;
  const [, name = '', events = ''] = /^(.*?)(?:\/([a-z_,]*)\/)?$/.exec(words) ?? [];
  const edge = edgeWords ? parseEdge(edgeWords[1]) : TraceEdge.None;
  const notTaken = events.split(',').includes('not_taken');
  const kind = KINDS.get(name);
  if (kind !== undefined) return { kind, edge, notTaken, unknown: null };
  if (edge !== TraceEdge.None && name === '') return { ...NO_KIND, edge };
  if (edge === TraceEdge.None && LETTERS.test(name)) return parseLetters(name);
  return { kind: BranchKind.Jump, edge, notTaken, unknown: bare || text };
}

function parseEdge(words: string | undefined): TraceEdge {
  if (words === 'tr strt') return TraceEdge.Begin;
  return words === 'tr end' ? TraceEdge.End : TraceEdge.BeginAndEnd;
}

function parseLetters(letters: string): Flags {
  const has = (letter: string) => letters.includes(letter);
  return flagsOf(has('c'), has('r'), has('B'), has('E'));
}

// Bits of perf's enum: 1 call, 2 return, 8 trace begin, 9 trace end.
function parseRawFlags(bits: number): Flags {
  const has = (bit: number) => (bits & (1 << bit)) !== 0;
  return flagsOf(has(1), has(2), has(8), has(9));
}

function flagsOf(call: boolean, ret: boolean, begin: boolean, end: boolean): Flags {
  const kind = call ? BranchKind.Call : ret ? BranchKind.Return : BranchKind.Jump;
  const edge = begin && end ? TraceEdge.BeginAndEnd : begin ? TraceEdge.Begin : end ? TraceEdge.End : TraceEdge.None;
  return {
    kind: edge !== TraceEdge.None && !call && !ret ? BranchKind.None : kind,
    edge,
    notTaken: false,
    unknown: null,
  };
}

/** Returns the edge of a branch. "async" has no target, so it ends the trace even if perf does not print that. */
export function edgeOf(kind: BranchKind, edge: TraceEdge): TraceEdge {
  return kind === BranchKind.Async && edge === TraceEdge.None ? TraceEdge.End : edge;
}
