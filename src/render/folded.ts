/**
 * A profile as folded stacks: `a;b;c 19`, one line a path, for any FlameGraph tool.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import type { Profile, ThreadProfile } from '../model/profile.js';
import { childrenOf, viewOf } from '../model/tree-view.js';
import type { NodeId, SymbolId } from '../model/units.js';

export type Grouping = 'none' | 'thread' | 'process' | 'comm';

export interface FoldedOptions {
  /** Adds calls, inferred calls and the average duration to each name. */
  readonly annotate?: boolean;
  /** Puts a root frame above the threads that belong together. */
  readonly by?: Grouping;
  /** Leaves out paths with less self time. */
  readonly minNs?: number;
}

/** The lines, each with its newline: callers before callees, siblings by name in UTF-8 byte order. */
export function* renderFolded(profile: Profile, options: FoldedOptions = {}): Generator<string> {
  const { annotate = false, by = 'none', minNs = 0 } = options;
  const merged = mergeByName(profile, by);
  const value = profile.meta.weight === 'calls' ? merged.tree.calls : merged.tree.selfNs;
  const label = merged.labels(annotate);
  const view = viewOf(merged.tree);
  const path: string[] = [];
  const stack: { node: NodeId; depth: number }[] = sortedChildren(ROOT, 0);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next;
    path.length = depth;
    path.push(label(node));
    if (value[node] >= minNs && !merged.isGroup(node)) yield `${path.join(';')} ${value[node]}\n`;
    stack.push(...sortedChildren(node, depth + 1));
  }

  /** The last one first, to be taken from the end of a stack. */
  function sortedChildren(node: NodeId, depth: number) {
    const children = childrenOf(view, node).map((child) => ({ node: child, depth, name: merged.name(child) }));
    return children.sort((a, b) => compareUtf8(b.name, a.name));
  }
}

/** One tree over all threads, in which a function is its name. */
interface NamedTree {
  readonly tree: CallTree;
  name(node: NodeId): string;
  labels(annotate: boolean): (node: NodeId) => string;
  isGroup(node: NodeId): boolean;
}

function mergeByName(profile: Profile, by: Grouping): NamedTree {
  const names = new NameTable();
  const builder = new CallTreeBuilder();
  const idOf = profile.symbols.name.map((name) => names.intern(cleanName(name)));
  const symbolOf = (symbol: SymbolId) => idOf[symbol] as number;
  for (const thread of profile.threads) {
    const top = by === 'none' ? ROOT : builder.child(ROOT, names.intern(cleanName(groupOf(thread, profile, by))));
    builder.merge(thread.tree, top, symbolOf);
  }
  const tree = builder.build();
  const name = (node: NodeId) => names.text[tree.symbol[node]] as string;
  const isGroup = (node: NodeId) => by !== 'none' && tree.parent[node] === ROOT;
  const labels = (annotate: boolean) => (node: NodeId) =>
    annotate && !isGroup(node) ? name(node) + annotation(tree, node) : name(node);
  return { tree, name, labels, isGroup };
}

class NameTable {
  readonly text: string[] = [];
  private readonly ids = new Map<string, number>();

  intern(text: string): number {
    let id = this.ids.get(text);
    if (id === undefined) this.ids.set(text, (id = this.text.push(text) - 1));
    return id;
  }
}

/** "mysqld-114078", "thread 114078": as much as the trace tells. */
function groupOf(thread: ThreadProfile, profile: Profile, by: Exclude<Grouping, 'none'>): string {
  const { tid, pid, comm } = thread;
  switch (by) {
    case 'thread':
      return comm === null ? `thread ${tid}` : `${comm}-${tid}`;
    case 'process': {
      if (pid === null) return 'process unknown';
      const main = profile.threads.find((other) => other.tid === pid)?.comm ?? comm;
      return main === null ? `process ${pid}` : `${main}-${pid}`;
    }
    case 'comm':
      return comm ?? 'unknown';
  }
}

function annotation({ calls, inferredCalls, completeNs }: CallTree, node: NodeId): string {
  const inferred = inferredCalls[node] > 0 ? `(${inferredCalls[node]})` : '';
  const complete = calls[node] - inferredCalls[node];
  const average = complete > 0 ? `,avg:${Math.floor(completeNs[node] / complete + 0.5)}` : '';
  return `:${calls[node]}${inferred}${average}`;
}

// ";" parts frames and a line break parts paths, so neither may stand in a name.
function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return name.replace(/;/g, ':').replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, ' ');
}

/** Order of the UTF-8 bytes; JavaScript's own order differs for characters beyond U+FFFF. */
function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
