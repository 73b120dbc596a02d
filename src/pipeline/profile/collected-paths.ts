/**
 * Collects the call paths of all threads. They become known paths only if some thread needs them: most traces have no
 * losses, and merging paths takes as long as merging trees.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import type { SymbolId, Tid } from '../../model/units.js';
import { KnownPaths, type ThreadPaths } from '../../replay/losses/known-paths.js';

/** At most this many nodes are kept unmerged, eight bytes each. */
const MAX_KEPT_NODES = 2 ** 21;

export class CollectedPaths {
  private readonly merged = new KnownPaths();
  /** Threads whose paths are still to be merged, the lowest tid last. */
  private readonly rest: Tid[];
  private readonly kept = new Map<Tid, ThreadPaths>();
  private keptNodes = 0;
  private readonly threads: number;

  /** `tids`: all threads that are to be added. */
  constructor(tids: readonly Tid[]) {
    this.threads = tids.length;
    this.rest = tids.toSorted((a, b) => b - a);
  }

  add(tid: Tid, { paths, firstStack }: ThreadPaths): void {
    this.kept.set(tid, { paths, firstStack });
    this.keptNodes += paths.length;
    if (this.keptNodes > MAX_KEPT_NODES) this.merge();
  }

  /** Whether some path shows a caller of one of these functions. All threads must have been added. */
  hasCallersOf(functions: ReadonlySet<SymbolId>): boolean {
    if (this.kept.size < this.threads) return true; // some are merged already
    for (const { paths } of this.kept.values())
      for (let node = ROOT + 1; node < paths.length; node++)
        if (paths.parent[node] !== ROOT && functions.has(paths.symbol[node])) return true;
    return false;
  }

  /** Returns the paths of all threads. All must have been added. */
  knownPaths(): KnownPaths {
    this.merge();
    return this.merged;
  }

  /** Merges threads in the order of tids, as far as they are there. */
  private merge(): void {
    for (let tid = this.rest.at(-1); tid !== undefined; tid = this.rest.at(-1)) {
      const thread = this.kept.get(tid);
      if (thread === undefined) return;
      this.merged.add(thread);
      this.keptNodes -= thread.paths.length;
      this.kept.delete(tid);
      this.rest.pop();
    }
  }
}
