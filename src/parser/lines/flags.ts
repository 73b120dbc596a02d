/**
 * perf's flag column: what kind of branch a line tells of, over all spellings of perf 5.x to 6.15 and later.
 */
import { BranchKind, TraceEdge } from '../../model/trace/branch-sites.js';

export interface Flags {
  readonly kind: BranchKind;
  readonly edge: TraceEdge;
  /** A branch that was not taken: nothing happened (Arm only). */
  readonly notTaken: boolean;
  /** The words, if no known perf prints them; the branch then counts as a jump. */
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

/** Letters that perf prints for a combination without a name: "bcos". */
const LETTERS = /^[bcrosyiABExghDt?]+$/;
const EDGE = /^(tr strt tr end|tr strt|tr end)(?: +|$)/;
const NO_KIND = { kind: BranchKind.None, edge: TraceEdge.None, notTaken: false, unknown: null } as const;

/**
 * Reads the flag column, blanks around it removed; empty text is no flags at all.
 *
 * perf ≤ 6.14 prints "tr strt", from 6.15 on "tr strt jmp"; "(x)", "(D)", "(t)" and "()" stand behind and say only
 * that a transaction ran or interrupts were off; "/miss,not_taken/" is Arm's.
 */
export function parseFlags(text: string): Flags {
  const bare = text.replace(/(?<! ) *\([xDt]*\)$/, '');
  if (bare.startsWith('raw flags:0x')) return fromRawFlags(Number.parseInt(bare.slice(12), 16));
  const edgeWords = EDGE.exec(bare);
  const words = edgeWords ? bare.slice(edgeWords[0].length) : bare;
  const [, name = '', events = ''] = /^(.*?)(?:\/([a-z_,]*)\/)?$/.exec(words) ?? [];
  const edge = edgeWords ? edgeOfWords(edgeWords[1]) : TraceEdge.None;
  const notTaken = events.split(',').includes('not_taken');
  const kind = KINDS.get(name);
  if (kind !== undefined) return { kind, edge, notTaken, unknown: null };
  if (edge !== TraceEdge.None && name === '') return { ...NO_KIND, edge };
  if (edge === TraceEdge.None && LETTERS.test(name)) return fromLetters(name);
  return { kind: BranchKind.Jump, edge, notTaken, unknown: bare || text };
}

function edgeOfWords(words: string | undefined): TraceEdge {
  if (words === 'tr strt') return TraceEdge.Begin;
  return words === 'tr end' ? TraceEdge.End : TraceEdge.BeginAndEnd;
}

function fromLetters(letters: string): Flags {
  const has = (letter: string) => letters.includes(letter);
  return combination(has('c'), has('r'), has('B'), has('E'));
}

// The bits of perf's enum: 1 call, 2 return, 8 trace begin, 9 trace end.
function fromRawFlags(bits: number): Flags {
  const has = (bit: number) => (bits & (1 << bit)) !== 0;
  return combination(has(1), has(2), has(8), has(9));
}

function combination(call: boolean, ret: boolean, begin: boolean, end: boolean): Flags {
  const kind = call ? BranchKind.Call : ret ? BranchKind.Return : BranchKind.Jump;
  const edge = begin && end ? TraceEdge.BeginAndEnd : begin ? TraceEdge.Begin : end ? TraceEdge.End : TraceEdge.None;
  return {
    kind: edge !== TraceEdge.None && !call && !ret ? BranchKind.None : kind,
    edge,
    notTaken: false,
    unknown: null,
  };
}

// "async" has no target to go on from: it ends the trace, with or without perf saying so.
export function edgeOf(kind: BranchKind, edge: TraceEdge): TraceEdge {
  return kind === BranchKind.Async && edge === TraceEdge.None ? TraceEdge.End : edge;
}
