/**
 * What a reader calls the ends of the branches that it has seen: each is told of once.
 */
import type { BranchKind, TraceEdge } from '../model/branch-sites.js';

/** What a line says before its arrow: what kind of branch, and where from, as perf prints it. */
export interface Origin {
  readonly kind: BranchKind;
  readonly edge: TraceEdge;
  readonly from: string;
}

/** Texts may be parts of their lines: those are short, and kept alive by them. */
export class BranchEnds {
  private readonly originOf = new Map<string, number>();
  private readonly targetOf = new Map<string, number>();
  private readonly firstOrigin: number;
  private readonly firstTarget: number;
  private origins: Origin[] = [];
  private targets: string[] = [];

  /** Numbers go on from those of others, whose texts need not be known: what is told of twice is not wrong. */
  constructor(firstOrigin: number, firstTarget: number) {
    this.firstOrigin = firstOrigin;
    this.firstTarget = firstTarget;
  }

  get originCount(): number {
    return this.firstOrigin + this.originOf.size;
  }

  get targetCount(): number {
    return this.firstTarget + this.targetOf.size;
  }

  origin(kind: BranchKind, edge: TraceEdge, from: string): number {
    const key = `${kind} ${edge} ${from}`;
    let number = this.originOf.get(key);
    if (number === undefined) {
      number = this.originCount;
      this.originOf.set(key, number);
      this.origins.push({ kind, edge, from });
    }
    return number;
  }

  target(to: string): number {
    let number = this.targetOf.get(to);
    if (number === undefined) {
      number = this.targetCount;
      this.targetOf.set(to, number);
      this.targets.push(to);
    }
    return number;
  }

  takeNew(): { origins: readonly Origin[]; targets: readonly string[] } {
    const { origins, targets } = this;
    this.origins = [];
    this.targets = [];
    return { origins, targets };
  }
}
