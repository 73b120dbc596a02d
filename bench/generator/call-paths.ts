/**
 * Grows the call paths that the threads of a program take: a tree, by random descents.
 */
import type { Program } from './program.js';
import type { Random } from './random.js';

/** Row of `CallPaths.parent`. */
export type PathId = number;

export interface CallPaths {
  readonly length: number;
  readonly parent: readonly PathId[]; // -1 at a thread's first function
  readonly functionRow: readonly number[];
  /** Calls made on a path: rows from `firstCall[path]` to `firstCall[path + 1]`. */
  readonly firstCall: Int32Array;
  readonly callEdge: Int32Array; // the call instruction
  readonly callPath: Int32Array; // the callee's path; two instructions may lead to the same one
  readonly roots: readonly [PathId, PathId];
}

export const MIN_DEPTH = 8;
export const MAX_DEPTH = 40;

/** `mainShare`: the share of paths that begin in the first thread; they are grown first. */
export function growPaths(program: Program, pathCount: number, mainShare: number, random: Random): CallPaths {
  const tree = new PathTree(program);
  const roots = [tree.add(-1, program.roots[0]), tree.add(-1, program.roots[1])] as const;
  while (tree.length < pathCount) {
    const root = tree.length < pathCount * mainShare ? roots[0] : roots[1];
    descend(tree, root, MIN_DEPTH + random.below(MAX_DEPTH - MIN_DEPTH), pathCount, random);
  }
  return { ...tree.build(), roots };
}

/** Descends by random calls, along existing and new paths, and calls leaves on the way. */
function descend(tree: PathTree, root: PathId, depth: number, pathCount: number, random: Random): void {
  let path = root;
  for (let level = 1; level < depth && tree.length < pathCount; ) {
    const called = tree.follow(path, random.pick(tree.edgesOf(path)));
    if (tree.edgesOf(called).length === 0) continue;
    path = called;
    level++;
  }
}

class PathTree {
  private readonly parent: PathId[] = [];
  private readonly functionRow: number[] = [];
  private readonly calls: { edge: number; path: PathId }[][] = [];
  private readonly program: Program;
  private readonly rowOf: ReadonlyMap<Program['functions'][number], number>;

  constructor(program: Program) {
    this.program = program;
    this.rowOf = new Map(program.functions.map((fn, row) => [fn, row]));
  }

  get length(): number {
    return this.parent.length;
  }

  add(parent: PathId, fn: Program['functions'][number]): PathId {
    this.functionRow.push(this.rowOf.get(fn) as number);
    this.calls.push([]);
    return this.parent.push(parent) - 1;
  }

  edgesOf(path: PathId): readonly number[] {
    return this.functionOf(path).edges;
  }

  /** Returns the path of a callee, which is added if it is new. */
  follow(from: PathId, edge: number): PathId {
    const calls = this.calls[from];
    const known = calls.find((call) => call.edge === edge);
    if (known) return known.path;
    const { callee } = this.program.edges[edge];
    const path = calls.find((call) => this.functionOf(call.path) === callee)?.path ?? this.add(from, callee);
    calls.push({ edge, path });
    return path;
  }

  build(): Omit<CallPaths, 'roots'> {
    const firstCall = new Int32Array(this.length + 1);
    this.calls.forEach((calls, path) => {
      firstCall[path + 1] = firstCall[path] + calls.length;
    });
    const calls = this.calls.flat();
    const callEdge = Int32Array.from(calls, ({ edge }) => edge);
    const callPath = Int32Array.from(calls, ({ path }) => path);
    const { length, parent, functionRow } = this;
    return { length, parent, functionRow, firstCall, callEdge, callPath };
  }

  private functionOf(path: PathId): Program['functions'][number] {
    return this.program.functions[this.functionRow[path]];
  }
}
