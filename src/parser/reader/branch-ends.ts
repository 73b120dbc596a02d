/**
 * Ends of branches that the kernel cannot parse: the kernel numbers them, this file keeps each text once.
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

/** The texts may be slices of their lines and keep these alive; lines are short. */
export class BranchEnds {
  private readonly originNumbers = new Map<string, number>();
  private readonly targetNumbers = new Map<string, number>();
  private readonly textRows = new Map<string, number>();
  private readonly firstText: number;
  private readonly kernel: Kernel;
  private texts: string[] = [];

  /** New texts are numbered from `firstText` on. Adding a text that another reader already has is harmless. */
  constructor(kernel: Kernel, firstText: number) {
    this.kernel = kernel;
    this.firstText = firstText;
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

  /** Returns the texts added since the last call. */
  takeNewTexts(): string[] {
    const { texts } = this;
    this.texts = [];
    return texts;
  }

  private rowOf(text: string): number {
    let row = this.textRows.get(text);
    if (row === undefined) {
      row = this.firstText + this.textRows.size;
      this.textRows.set(text, row);
      this.texts.push(text);
    }
    return row;
  }
}
