/**
 * Ends of branches that the kernel cannot take apart: it numbers them, their texts are kept here, each once.
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

/** Kind and edge as one number. */
export function packFlags(kind: BranchKind, edge: TraceEdge): number {
  return kind * 4 + edge;
}

export function unpackFlags(meaning: number): { kind: BranchKind; edge: TraceEdge } {
  return { kind: (meaning >> 2) as BranchKind, edge: (meaning & 3) as TraceEdge };
}

/** Texts may be parts of their lines: those are short, and kept alive by them. */
export class BranchEnds {
  private readonly originOf = new Map<string, number>();
  private readonly targetOf = new Map<string, number>();
  private readonly rowOfText = new Map<string, number>();
  private readonly firstText: number;
  private readonly kernel: Kernel;
  private texts: string[] = [];

  /** Texts are numbered from one on that others have told of; what is told of twice is not wrong. */
  constructor(kernel: Kernel, firstText: number) {
    this.kernel = kernel;
    this.firstText = firstText;
  }

  origin({ kind, edge, from }: BranchText): number {
    const meaning = packFlags(kind, edge);
    const key = `${meaning} ${from}`;
    let number = this.originOf.get(key);
    if (number === undefined) this.originOf.set(key, (number = this.kernel.addOrigin(meaning, this.rowOf(from))));
    return number;
  }

  target({ to }: BranchText): number {
    let number = this.targetOf.get(to);
    if (number === undefined) this.targetOf.set(to, (number = this.kernel.addTarget(this.rowOf(to))));
    return number;
  }

  /** Texts that were not taken before. */
  takeNewTexts(): string[] {
    const { texts } = this;
    this.texts = [];
    return texts;
  }

  private rowOf(text: string): number {
    let row = this.rowOfText.get(text);
    if (row === undefined) {
      row = this.firstText + this.rowOfText.size;
      this.rowOfText.set(text, row);
      this.texts.push(text);
    }
    return row;
  }
}
