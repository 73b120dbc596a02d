/**
 * Merges the trees of all threads into one; functions with the same name become one.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/calls/call-tree.js';
import { inPreOrder } from '../model/calls/pre-order.js';
import { assert } from '../model/errors.js';
import { checkMemory } from '../model/memory-watch.js';
import { compareUtf8 } from '../model/names/utf8-order.js';
import type { Profile, ThreadProfile } from '../model/profile/profile.js';
import { NONE, type NodeId, type SymbolId, type Tid } from '../model/units.js';

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
export type Trees = Pick<Profile, 'symbols' | 'threads' | 'together'>;

/** Names of functions and groups: equal names are merged. */
export interface Naming {
  /** By symbol. */
  readonly functions: readonly string[];
  readonly group: (name: string) => string;
}

export function mergeByName(profile: Trees, by: Grouping, naming: Naming): NamedTree {
  const table = new NameTable();
  const builder = new CallTreeBuilder();
  const rowOf = naming.functions.map((name, symbol) => table.intern(name, symbol));
  const symbolOf = (symbol: SymbolId) => rowOf[symbol] as number;
  assert(by === 'none' || profile.together === null, 'groups of threads whose trees are one');
  if (profile.together) builder.merge(profile.together, ROOT, symbolOf);
  const commOf = new Map(profile.threads.map(({ tid, comm }) => [tid, comm]));
  for (const thread of profile.threads) {
    const top =
      by === 'none' ? ROOT : builder.child(ROOT, table.intern(naming.group(groupOf(thread, commOf, by)), NONE));
    builder.merge(thread.tree, top, symbolOf);
    checkMemory();
  }
  const tree = builder.build();
  const rank = ranksOf(table.names);
  const byName = (a: NodeId, b: NodeId) => rank[tree.symbol[a]] - rank[tree.symbol[b]];
  return { tree: inPreOrder(tree, byName), names: table.names, symbols: table.symbols };
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
  const order = names.map((_, row) => row).sort((a, b) => compareUtf8(names[a] as string, names[b] as string));
  const rank = new Int32Array(names.length);
  order.forEach((row, at) => {
    rank[row] = at;
  });
  return rank;
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
