/**
 * Turns call trees of groups (command names, hosts, builds) into a profile in which each group is a thread, so that all renderers
 * draw it.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import type { FunctionDurations } from '../../model/calls/durations.js';
import { orderedTree } from '../../model/calls/node-order.js';
import { symbolRanks } from '../../model/names/symbol-order.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import { compareUtf8 } from '../../model/names/utf8-order.js';
import type { Profile, TraceMeta } from '../../model/profile/profile.js';
import type { Quality } from '../../model/profile/quality.js';
import type { Nanoseconds } from '../../model/units.js';

export interface Group {
  /** null: not known. */
  readonly name: string | null;
  readonly tree: CallTree;
  readonly durations: FunctionDurations | null;
  readonly hiddenNs: Nanoseconds;
}

/** Groups are numbered by name, those without one first. The bounds of a group are 0 and the sum of its time. */
export function groupedProfile(
  groups: readonly Group[],
  symbols: SymbolTable,
  meta: Pick<TraceMeta, 'scope' | 'weight' | 'hasSwitches' | 'recorded'> & { readonly durationNs: Nanoseconds },
  qualityOf: (tidOf: (name: string | null) => number) => Quality,
): Profile {
  const { durationNs, ...known } = meta;
  const sorted = groups.toSorted((a, b) => compareNames(a.name, b.name));
  const rank = symbolRanks(symbols);
  const threads = sorted.map(({ name, tree, durations, hiddenNs }, at) => {
    const endNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
    return {
      tid: at + 1,
      pid: null,
      comm: name,
      startNs: 0,
      endNs,
      tree: orderedTree(tree, rank),
      durations,
      hiddenNs,
    };
  });
  const tids = new Map(threads.map(({ comm, tid }) => [comm, tid]));
  return {
    meta: { originNs: 0n, startNs: 0, endNs: durationNs, part: null, ...known },
    symbols,
    threads,
    together: null,
    durations: null,
    quality: qualityOf((name) => tids.get(name) as number),
  };
}

function compareNames(a: string | null, b: string | null): number {
  return Number(a !== null) - Number(b !== null) || compareUtf8(a ?? '', b ?? '');
}
