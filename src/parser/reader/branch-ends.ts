/**
 * Ends of branches that the kernel cannot parse: the kernel numbers them, the text of each is kept in its memory.
 */
import type { BranchKind, TraceEdge } from '../../model/trace/branch-sites.js';
import type { Kernel } from '../kernel.js';

/** A branch as perf prints its two ends. */
export interface BranchText {
  readonly kind: BranchKind;
  readonly edge: TraceEdge;
  readonly from: string;
  readonly to: string;
}

/** Encodes kind and edge as one number. */
export function packFlags(kind: BranchKind, edge: TraceEdge): number {
  return kind * 4 + edge;
}

export function unpackFlags(flags: number): { kind: BranchKind; edge: TraceEdge } {
  return { kind: (flags >> 2) as BranchKind, edge: (flags & 3) as TraceEdge };
}

/** The texts may be slices of their lines and keep these alive; lines are short. Another reader may add the same text. */
export class BranchEnds {
  private readonly originNumbers = new Map<string, number>();
  private readonly targetNumbers = new Map<string, number>();
  private readonly textRows = new Map<string, number>();
  private readonly addText: (text: string) => number;
  private readonly kernel: Kernel;

  /** `addText` keeps a text in the kernels' memory and returns its row. */
  constructor(kernel: Kernel, addText: (text: string) => number) {
    this.kernel = kernel;
    this.addText = addText;
  }

  origin({ kind, edge, from }: BranchText): number {
    const flags = packFlags(kind, edge);
    const key = `${flags} ${from}`;
    let number = this.originNumbers.get(key);
    if (number === undefined) this.originNumbers.set(key, (number = this.kernel.addOrigin(flags, this.rowOf(from))));
    return number;
  }

  target({ to }: BranchText): number {
    let number = this.targetNumbers.get(to);
    if (number === undefined) this.targetNumbers.set(to, (number = this.kernel.addTarget(this.rowOf(to))));
    return number;
  }

  private rowOf(text: string): number {
    let row = this.textRows.get(text);
    if (row === undefined) this.textRows.set(text, (row = this.addText(text)));
    return row;
  }
}
