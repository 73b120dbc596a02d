/**
 * Sums of a thread that become coarser while they take too many bytes. What they are depends on their level alone, not on
 * when it was reached.
 */
import type { ThreadSums } from '../../model/profile/timeline.js';
import type { Nanoseconds, NodeId } from '../../model/units.js';
import { nextLevel } from './next-level.js';
import { NO_SUMS, resolutionOf, type TimedPaths } from './resolution.js';
import { SumsBuilder } from './sums-builder.js';

/** Adds the sums of one level to a builder at a coarser one. `durationNs`: of the timeline. */
export function coarsen(
  builder: SumsBuilder,
  sums: ThreadSums,
  levels: { readonly from: number; readonly to: number },
  durationNs: Nanoseconds,
  paths: TimedPaths,
): void {
  builder.clear(resolutionOf(levels.to, durationNs), paths);
  builder.addFiner(sums, resolutionOf(levels.from, durationNs).sliceNs);
}

/** Memory for the sums of one thread after the other. */
export class SumsMemory {
  current = new SumsBuilder();
  next = new SumsBuilder();
}

export class BoundedSums {
  level: number;
  private readonly memory: SumsMemory;
  private readonly durationNs: Nanoseconds;
  private readonly paths: TimedPaths;
  private readonly maxBytes: number;

  /** `memory`: of this thread until its sums are built. */
  constructor(firstLevel: number, durationNs: Nanoseconds, paths: TimedPaths, maxBytes: number, memory: SumsMemory) {
    this.level = firstLevel;
    this.memory = memory;
    this.durationNs = durationNs;
    this.paths = paths;
    this.maxBytes = maxBytes;
    if (firstLevel !== NO_SUMS) memory.current.clear(resolutionOf(firstLevel, durationNs), paths);
  }

  addCall(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    if (this.level === NO_SUMS) return;
    const { current } = this.memory;
    current.addCall(node, startNs, endNs, ending, knownNs);
    if (current.bytes > this.maxBytes) this.limit();
  }

  addTime(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    if (this.level === NO_SUMS) return;
    const { current } = this.memory;
    current.addTime(node, startNs, endNs, isInferred);
    if (current.bytes > this.maxBytes) this.limit();
  }

  /** Returns a copy, at this level if what was reached is finer; null if even the coarsest would take too many bytes. */
  build(level: number): ThreadSums | null {
    if (level > this.level) this.coarsenTo(level);
    return this.level === NO_SUMS ? null : this.memory.current.build();
  }

  private limit(): void {
    const { memory, paths, durationNs, maxBytes } = this;
    while (this.level !== NO_SUMS && memory.current.bytes > maxBytes) {
      const thread = { sums: memory.current.view(), paths };
      this.coarsenTo(nextLevel([thread], this.level, durationNs, maxBytes));
    }
  }

  private coarsenTo(level: number): void {
    const { memory, durationNs, paths } = this;
    const { current, next } = memory;
    if (level !== NO_SUMS) coarsen(next, current.view(), { from: this.level, to: level }, durationNs, paths);
    this.level = level;
    memory.current = next;
    memory.next = current;
  }
}
