/**
 * Merges the trees of all threads into one; functions with the same name become one.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/calls/call-tree.js';
import { TreeSum } from '../model/calls/overlay.js';
import { orderedTree } from '../model/calls/tree-view.js';
import { assert } from '../model/errors.js';
import { checkMemory } from '../model/memory.js';
import type { Profile, ThreadProfile, TraceMeta } from '../model/profile/profile.js';
import { compareUtf8, inverse, symbolRanks } from '../model/symbol-table.js';
import { idleCpu, NONE, type SymbolId, type Tid } from '../model/units.js';

export type Grouping = 'none' | 'thread' | 'process' | 'comm';

/** A tree in pre-order, siblings by name in UTF-8 byte order: each subtree is contiguous. */
export interface NamedTree {
  /** The symbols are rows of `names`. */
  readonly tree: CallTree;
  readonly names: readonly string[];
  /** A symbol with this name; NONE for the name of a group of threads. */
  readonly symbols: readonly SymbolId[];
}

/** The parts of a profile that are merged. */
export interface Trees extends Pick<Profile, 'symbols' | 'threads' | 'together'> {
  readonly meta: Pick<TraceMeta, 'merged'>;
}

/** Names of functions and groups: equal names are merged. */
export interface Naming {
  /** By symbol. */
  readonly functions: readonly string[];
  readonly group: (name: string) => string;
}

export function mergeByName(profile: Trees, by: Grouping, naming: Naming): NamedTree {
  if (by === 'none') return nameTree(sumOf(profile), naming);
  assert(profile.together === null, 'groups of threads whose trees are one');
  const { table, rowOf } = tableFor(naming);
  return sorted(inGroups(profile, by, naming, rowOf, table), table);
}

/** Names the nodes of one tree. */
export function nameTree(tree: CallTree, naming: Naming): NamedTree {
  const { table, rowOf } = tableFor(naming);
  return sorted(withRows(tree, rowOf, table), table);
}

function tableFor({ functions }: Naming): { readonly table: NameTable; readonly rowOf: Int32Array } {
  const table = new NameTable();
  return { table, rowOf: Int32Array.from(functions, (name, symbol) => table.intern(name, symbol)) };
}

function sorted(tree: CallTree, { names, symbols }: NameTable): NamedTree {
  return { tree: orderedTree(tree, ranksOf(names)), names, symbols };
}

/** Returns the sum of all threads. */
function sumOf({ symbols, threads, together }: Trees): CallTree {
  if (together) return together;
  const rank = symbolRanks(symbols);
  const sum = new TreeSum(rank);
  for (const { tree } of threads) {
    sum.add(orderedTree(tree, rank));
    checkMemory();
  }
  return sum.build();
}

/** Returns a tree with rows of names instead of symbols. Only if several symbols have one name, nodes have to be merged. */
function withRows(tree: CallTree, rowOf: Int32Array, { names }: NameTable): CallTree {
  if (names.length === rowOf.length) return { ...tree, symbol: tree.symbol.map((own) => rowOf[own] ?? NONE) };
  const builder = new CallTreeBuilder();
  builder.merge(tree, ROOT, (symbol) => rowOf[symbol]);
  return builder.build();
}

function inGroups(
  { threads, meta }: Trees,
  by: Exclude<Grouping, 'none'>,
  { group }: Naming,
  rowOf: Int32Array,
  table: NameTable,
): CallTree {
  const builder = new CallTreeBuilder();
  const commOf = new Map(threads.map(({ tid, comm }) => [tid, comm]));
  const groupedBy = meta.merged ? 'comm' : by; // its groups have no other name
  for (const thread of threads) {
    const top = builder.child(ROOT, table.intern(group(groupOf(thread, commOf, groupedBy)), NONE));
    builder.merge(thread.tree, top, (symbol) => rowOf[symbol]);
    checkMemory();
  }
  return builder.build();
}

/** Interns names. Functions and groups have separate rows: a program may have the name of one of its functions. */
class NameTable {
  readonly names: string[] = [];
  readonly symbols: SymbolId[] = [];
  private readonly functions = new Map<string, number>();
  private readonly groups = new Map<string, number>();

  intern(name: string, symbol: SymbolId): number {
    const rows = symbol === NONE ? this.groups : this.functions;
    let row = rows.get(name);
    if (row === undefined) {
      rows.set(name, (row = this.names.push(name) - 1));
      this.symbols.push(symbol);
    }
    return row;
  }
}

/** Ranks the names. A function and a group of equal name are never siblings. */
function ranksOf(names: readonly string[]): Int32Array {
  return inverse(names.map((_, row) => row).sort((a, b) => compareUtf8(names[a] as string, names[b] as string)));
}

/** Returns "mysqld-114078" or "thread 114078", depending on what the trace contains. */
function groupOf(
  thread: ThreadProfile,
  commOf: ReadonlyMap<Tid, string | null>,
  by: Exclude<Grouping, 'none'>,
): string {
  const { tid, pid, comm } = thread;
  switch (by) {
    case 'thread':
      if (comm !== null && idleCpu(tid, comm) !== null) return comm;
      return comm === null ? `thread ${tid}` : `${comm}-${tid}`;
    case 'process': {
      if (pid === null) return 'process unknown';
      const main = commOf.get(pid) ?? comm;
      return main === null ? `process ${pid}` : `${main}-${pid}`;
    }
    case 'comm':
      return comm ?? 'unknown';
  }
}
