/**
 * Why time is inferred: the reasons, how much of the time of which nodes each accounts for, and each in words with what
 * helps against it.
 */
import { resized } from '../columns.js';
import { askForMemory } from '../memory.js';
import type { Nanoseconds, NodeId } from '../units.js';

/**
 * Why it is not certain that time belongs to its call path. Where several reasons apply, the highest one counts; 0: it is
 * certain. Files have these numbers.
 */
export const Doubt = {
  None: 0,
  /** Control moved by a jump that the trace does not show: no address shows when, or that it went nowhere else. */
  HiddenJump: 1,
  /** An exception or a longjmp may have landed in another frame. */
  Landing: 2,
  /** The stack was first seen amid a function, or above frames that are not known: it may have begun elsewhere. */
  UnseenStart: 3,
  /** The thread switches stacks, at an unknown moment; or may have switched to another one of them. */
  StackChoice: 4,
  /** A return ended no known call, or skipped calls, and nothing explains that. */
  OddReturn: 5,
  /** The trace began inside calls, and their callers were seen only elsewhere, as in another thread. */
  UnseenCallers: 6,
  /** After a loss, no address confirmed yet that the frames are still open. */
  AfterLoss: 7,
  /** Nothing is known of this time: `[lost]`. */
  Lost: 8,
} as const;
export type Doubt = (typeof Doubt)[keyof typeof Doubt];
export type DoubtName = Exclude<keyof typeof Doubt, 'None'>;

/** By `Doubt`, from 1 on. */
export const DOUBT_NAMES = Object.keys(Doubt).slice(1) as readonly DoubtName[];
const DOUBTS = DOUBT_NAMES.length + 1;

/** What a doubt is called: alone, and after "34 % of the time is inferred:". */
interface DoubtWords {
  readonly short: string;
  readonly long: string;
}

const WORDS: Readonly<Record<DoubtName, DoubtWords>> = {
  HiddenJump: { short: 'hidden jumps', long: 'around hidden jumps' },
  Landing: { short: 'exceptions', long: 'where an exception or a longjmp may have landed elsewhere' },
  UnseenStart: { short: 'unseen start', long: 'on stacks whose beginning was not seen' },
  StackChoice: { short: 'stack switches', long: 'where stacks switch, or on one of several that fit' },
  OddReturn: { short: 'odd returns', long: 'after returns that nothing explains' },
  UnseenCallers: { short: 'unseen callers', long: 'below callers that were seen only elsewhere' },
  AfterLoss: { short: 'after losses', long: 'after losses, until a return confirms the stack' },
  Lost: { short: 'lost', long: 'lost' },
};

export function doubtWords(doubt: DoubtName): DoubtWords {
  return WORDS[doubt];
}

/** What advice depends on. */
export interface DoubtContext {
  /** ptflame decoded a recording; false: perf did, and its text was read. */
  readonly isRecorded: boolean;
  /** Jumps between functions were decoded. */
  readonly showsJumps: boolean;
  /** Code was lost that a JIT compiler generated and wrote to no file. */
  readonly lacksGeneratedCode: boolean;
}

/** Returns what helps against a doubt; null: nothing does, or the causes of the losses say it. */
export function doubtAdvice(
  doubt: DoubtName,
  { isRecorded, showsJumps, lacksGeneratedCode }: DoubtContext,
): string | null {
  switch (doubt) {
    case 'HiddenJump':
      return showsJumps ? null : `${isRecorded ? '--precise' : '--itrace=be'} shows them`;
    case 'UnseenCallers':
      return 'a recording from the start of the program shows them';
    case 'OddReturn':
    case 'AfterLoss':
      return lacksGeneratedCode ? 'nothing helps if a JIT compiler generated the lost code and wrote no jitdump' : null;
    case 'Landing':
    case 'UnseenStart':
    case 'StackChoice':
    case 'Lost':
      return null;
  }
}

/** Time by doubt, only of those that occur. */
export type DoubtTimes = Partial<Readonly<Record<DoubtName, Nanoseconds>>>;

/** The doubts with the most time first; ties by name. */
export function byTime(times: DoubtTimes): [DoubtName, Nanoseconds][] {
  const rows = Object.entries(times) as [DoubtName, Nanoseconds][];
  return rows.filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/**
 * Parts of the inferred time of nodes, by node, then doubt, each once. What is left of a node's inferred time is around
 * hidden jumps, which are by far the most frequent doubt.
 */
export interface NodeDoubts {
  readonly node: Int32Array;
  readonly doubt: Uint8Array;
  readonly ns: Float64Array;
}

export const NO_DOUBTS: NodeDoubts = { node: new Int32Array(0), doubt: new Uint8Array(0), ns: new Float64Array(0) };

/** What is read of a tree: without `doubts`, it is not known why time is inferred. */
interface DoubtfulTree {
  readonly inferredNs: Float64Array;
  readonly doubts?: NodeDoubts | undefined;
}

/** Reports each part of the inferred time of a tree, in the order of nodes. Only for trees that have `doubts`. */
export function eachDoubt(
  { inferredNs, doubts }: DoubtfulTree,
  report: (node: NodeId, doubt: Doubt, ns: Nanoseconds) => void,
): void {
  if (doubts === undefined) return;
  let row = 0;
  for (let node = 0; node < inferredNs.length; node++) {
    let restNs = inferredNs[node];
    for (; row < doubts.node.length && doubts.node[row] === node; row++) {
      report(node, doubts.doubt[row] as Doubt, doubts.ns[row]);
      restNs -= doubts.ns[row];
    }
    if (restNs > 0) report(node, Doubt.HiddenJump, restNs);
  }
}

/** Sums of inferred time by doubt; null: it is not known why some of it is inferred. */
export class DoubtTotals {
  private totals: number[] | null = DOUBT_NAMES.map(() => 0);

  addTree(tree: DoubtfulTree): void {
    if (tree.doubts === undefined && tree.inferredNs.some((ns) => ns > 0)) this.totals = null;
    else eachDoubt(tree, (_, doubt, ns) => this.add(doubt, ns));
  }

  add(doubt: Doubt, ns: Nanoseconds): void {
    if (this.totals) (this.totals[doubt - 1] as number) += ns;
  }

  /** Adds other sums; undefined: unknown. */
  addAll(times: DoubtTimes | undefined): void {
    if (times === undefined) this.totals = null;
    else for (const [name, ns] of byTime(times)) this.add(Doubt[name], ns);
  }

  /** Only those that occur, in their order; undefined: unknown. */
  build(): DoubtTimes | undefined {
    const { totals } = this;
    if (totals === null) return undefined;
    const names = DOUBT_NAMES.filter((_, at) => (totals[at] as number) > 0);
    return Object.fromEntries(names.map((name) => [name, totals[Doubt[name] - 1]]));
  }
}

/** Returns the doubts of the nodes that a tree keeps. `newId`: by node; `isKept`: by node, 0 if it is not kept. */
export function keptDoubts(doubts: NodeDoubts, newId: Int32Array, isKept: Uint8Array): NodeDoubts {
  const { node, doubt, ns } = doubts;
  if (node.length === 0) return doubts;
  const rows = Int32Array.from(node.keys()).filter((row) => isKept[node[row]] === 1);
  rows.sort((a, b) => newId[node[a]] - newId[node[b]] || doubt[a] - doubt[b]);
  return {
    node: rows.map((row) => newId[node[row]]),
    doubt: Uint8Array.from(rows, (row) => doubt[row]),
    ns: Float64Array.from(rows, (row) => ns[row]),
  };
}

function noColumns(): (Float64Array | undefined)[] {
  return new Array(DOUBTS).fill(undefined);
}

/** Sums up the doubts of a tree while it is built. */
export class DoubtSums {
  /** By doubt, then node; a doubt that did not occur has none. */
  private columns = noColumns();
  private isComplete = true;

  clear(): void {
    this.columns = noColumns();
    this.isComplete = true;
  }

  add(node: NodeId, doubt: Doubt, ns: Nanoseconds): void {
    if (doubt <= Doubt.HiddenJump || ns === 0) return;
    const column = this.columns[doubt] ?? new Float64Array(64);
    const roomy = node < column.length ? column : resized(column, Math.max(2 * column.length, node + 1));
    roomy[node] += ns;
    this.columns[doubt] = roomy;
  }

  /** Adds those of a node of another tree. */
  addOf({ inferredNs, doubts }: DoubtfulTree, node: NodeId, to: NodeId): void {
    if (inferredNs[node] === 0) return;
    if (doubts === undefined) {
      this.isComplete = false;
      return;
    }
    for (let row = firstRow(doubts.node, node); doubts.node[row] === node; row++)
      this.add(to, doubts.doubt[row] as Doubt, doubts.ns[row]);
  }

  /** Adds those of another tree. `to`: the node for each of its nodes. */
  addAll({ inferredNs, doubts }: DoubtfulTree, to: Int32Array): void {
    if (doubts === undefined && inferredNs.some((ns) => ns > 0)) this.isComplete = false;
    doubts?.node.forEach((node, row) => {
      this.add(to[node], doubts.doubt[row] as Doubt, doubts.ns[row]);
    });
  }

  /** It is not known why some time is inferred. */
  addUnknown(): void {
    this.isComplete = false;
  }

  /** Returns the doubts of all nodes, or undefined if some are not known. */
  build(): NodeDoubts | undefined {
    if (!this.isComplete) return undefined;
    const { columns } = this;
    if (columns.every((column) => column === undefined)) return NO_DOUBTS;
    const nodes = Math.max(...columns.map((column) => column?.length ?? 0));
    let length = 0;
    for (const column of columns) for (const ns of column ?? []) if (ns > 0) length++;
    askForMemory(13 * length);
    const built = { node: new Int32Array(length), doubt: new Uint8Array(length), ns: new Float64Array(length) };
    let row = 0;
    for (let node = 0; node < nodes; node++)
      for (let doubt = Doubt.Landing; doubt < DOUBTS; doubt++) {
        const ns = columns[doubt]?.[node] ?? 0;
        if (ns === 0) continue;
        built.node[row] = node;
        built.doubt[row] = doubt;
        built.ns[row++] = ns;
      }
    return built;
  }
}

/** Returns the first row of a node, or the row where it would be. */
function firstRow(nodes: Int32Array, node: NodeId): number {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (nodes[middle] < node) low = middle + 1;
    else high = middle;
  }
  return low;
}
