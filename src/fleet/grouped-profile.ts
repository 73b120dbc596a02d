/**
 * Turns call trees of groups (command names, hosts, builds) into a profile in which each group is a thread, so that all renderers
 * draw it.
 */
import type { CallTree } from '../model/calls/call-tree.js';
import type { FunctionDurations } from '../model/calls/durations.js';
import { orderedTree } from '../model/calls/tree-view.js';
import type { MergedBy, Profile, Quality, TraceMeta } from '../model/profile/profile.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { compareUtf8, symbolRanks } from '../model/symbol-table.js';
import type { Nanoseconds } from '../model/units.js';

/** What groups are called whose name is not known: each with the file it is of, so that no two programs become one. */
export const UNKNOWN_GROUPS: Readonly<Record<MergedBy, string>> = {
  comm: 'no command name',
  host: 'unknown host',
  build: 'unknown build',
};

export interface Group {
  readonly name: string;
  readonly tree: CallTree;
  readonly durations: FunctionDurations | null;
  readonly hiddenNs: Nanoseconds;
}

export interface MergedMeta extends Pick<TraceMeta, 'scope' | 'weight' | 'hasSwitches'> {
  /** Of all recordings. */
  readonly durationNs: Nanoseconds;
  readonly recordings: number;
}

/** Groups are numbered by name. The bounds of a group are 0 and the sum of its time. */
export function groupedProfile(
  groups: readonly Group[],
  by: MergedBy,
  symbols: SymbolTable,
  meta: MergedMeta,
  qualityOf: (tidOf: (name: string) => number) => Quality,
): Profile {
  const { durationNs, recordings, ...known } = meta;
  const sorted = groups.toSorted((a, b) => compareUtf8(a.name, b.name));
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
    meta: {
      ...{ originNs: 0n, startNs: 0, endNs: durationNs, part: null, recorded: null },
      ...{ ...known, merged: { recordings, by } },
    },
    symbols,
    threads,
    together: null,
    durations: null,
    quality: qualityOf((name) => tids.get(name) as number),
  };
}
