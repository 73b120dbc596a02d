/**
 * All threads of a profile as one tree, in which a function is what it is called.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/calls/call-tree.js';
import { inPreOrder } from '../model/calls/pre-order.js';
import { assert } from '../model/errors.js';
import { checkMemory } from '../model/memory-watch.js';
import { compareUtf8 } from '../model/names/utf8-order.js';
import type { Profile, ThreadProfile } from '../model/profile/profile.js';
import { NONE, type NodeId, type SymbolId, type Tid } from '../model/units.js';

export type Grouping = 'none' | 'thread' | 'process' | 'comm';

/** Callers before callees, siblings by name in the order of their UTF-8 bytes: a subtree is a run of nodes. */
export interface NamedTree {
  /** Its symbols are rows of `names`. */
  readonly tree: CallTree;
  readonly names: readonly string[];
  /** A symbol with this name; NONE if it is the name of a group of threads. */
  readonly symbols: readonly SymbolId[];
}

/** As much of a profile as is merged. */
export type Trees = Pick<Profile, 'symbols' | 'threads' | 'together'>;

/** How functions and groups are called: those that are called alike become one. */
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

/** Rows of functions and of groups: a program may be called as one of its functions is. */
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

/** Each name's place among all names; equal names of a function and a group never are siblings. */
function ranksOf(names: readonly string[]): Int32Array {
  const order = names.map((_, row) => row).sort((a, b) => compareUtf8(names[a] as string, names[b] as string));
  const rank = new Int32Array(names.length);
  order.forEach((row, place) => {
    rank[row] = place;
  });
  return rank;
}

/** "mysqld-114078", "thread 114078": as much as the trace tells. */
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
