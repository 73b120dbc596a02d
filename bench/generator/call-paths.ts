/**
 * A program in, the paths of calls that its threads take out: a tree, grown by random descents.
 */
import type { Program } from './program.js';
import type { Random } from './random.js';

/** Row of `CallPaths.parent`. */
export type PathId = number;

export interface CallPaths {
  readonly length: number;
  readonly parent: readonly PathId[]; // -1 at a thread's first function
  readonly functionRow: readonly number[];
  /** Arms of a path: rows from `firstArm[path]` to `firstArm[path + 1]`. */
  readonly firstArm: Int32Array;
  readonly armEdge: Int32Array; // the call instruction
  readonly armPath: Int32Array; // where it leads; two instructions may lead to one path
  readonly roots: readonly [PathId, PathId];
}

export const SHALLOWEST = 8;
export const DEEPEST = 40;

/** `mainShare`: how many of the paths begin where the first thread does; they are grown first. */
export function growPaths(program: Program, pathCount: number, mainShare: number, random: Random): CallPaths {
  const tree = new PathTree(program);
  const roots = [tree.add(-1, program.roots[0]), tree.add(-1, program.roots[1])] as const;
  while (tree.length < pathCount) {
    const root = tree.length < pathCount * mainShare ? roots[0] : roots[1];
    descend(tree, root, SHALLOWEST + random.below(DEEPEST - SHALLOWEST), pathCount, random);
  }
  return { ...tree.build(), roots };
}

/** Goes down by random calls, along paths that are there and paths that are not; leaves are called on the way. */
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
  private readonly arms: { edge: number; path: PathId }[][] = [];
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
    this.arms.push([]);
    return this.parent.push(parent) - 1;
  }

  edgesOf(path: PathId): readonly number[] {
    return this.functionOf(path).edges;
  }

  /** Where a call leads; the path is made if it is not there yet. */
  follow(from: PathId, edge: number): PathId {
    const arms = this.arms[from];
    const known = arms.find((arm) => arm.edge === edge);
    if (known) return known.path;
    const { callee } = this.program.edges[edge];
    const path = arms.find((arm) => this.functionOf(arm.path) === callee)?.path ?? this.add(from, callee);
    arms.push({ edge, path });
    return path;
  }

  build(): Omit<CallPaths, 'roots'> {
    const firstArm = new Int32Array(this.length + 1);
    this.arms.forEach((arms, path) => {
      firstArm[path + 1] = firstArm[path] + arms.length;
    });
    const arms = this.arms.flat();
    const armEdge = Int32Array.from(arms, ({ edge }) => edge);
    const armPath = Int32Array.from(arms, ({ path }) => path);
    const { length, parent, functionRow } = this;
    return { length, parent, functionRow, firstArm, armEdge, armPath };
  }

  private functionOf(path: PathId): Program['functions'][number] {
    return this.program.functions[this.functionRow[path]];
  }
}
