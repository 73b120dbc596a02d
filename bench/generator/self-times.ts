/**
 * Records what really ran on each path: the true folded stacks of a trace, which ptflame should reproduce.
 */
import { createHash } from 'node:crypto';
import type { CallPaths, PathId } from './call-paths.js';
import type { Program } from './program.js';

export type TextSink = (text: string) => void;

export class SelfTimes {
  private readonly ns: Float64Array;
  private readonly stoppedNs: Float64Array;
  private readonly isVisited: Uint8Array;
  private readonly isStopped: Uint8Array;

  constructor(pathCount: number) {
    this.ns = new Float64Array(pathCount);
    this.stoppedNs = new Float64Array(pathCount);
    this.isVisited = new Uint8Array(pathCount);
    this.isStopped = new Uint8Array(pathCount);
  }

  visit(path: PathId): void {
    this.isVisited[path] = 1;
  }

  charge(path: PathId, ns: number): void {
    this.ns[path] += ns;
  }

  /** The trace stopped in the function. */
  stop(path: PathId): void {
    this.isStopped[path] = 1;
  }

  chargeStopped(path: PathId, ns: number): void {
    this.stoppedNs[path] += ns;
  }

  /** Writes the folded stacks, callers before callees, siblings by name. */
  fold(program: Program, paths: CallPaths, sink: TextSink): void {
    const nameOf = (path: PathId) => program.functions[paths.functionRow[path]]!.name;
    const write = (path: PathId, callers: string) => {
      const stack = callers + nameOf(path);
      sink(`${stack} ${this.ns[path]}\n`);
      const below = this.childrenOf(path, paths).map((child) => ({
        name: nameOf(child),
        write: () => write(child, `${stack};`),
      }));
      if (this.isStopped[path]) below.push(this.stopped(path, program, paths, stack, sink));
      for (const child of below.sort((a, b) => (a.name < b.name ? -1 : 1))) child.write();
    };
    for (const root of paths.roots) if (this.isVisited[root]) write(root, '');
  }

  private stopped(path: PathId, program: Program, paths: CallPaths, stack: string, sink: TextSink) {
    const { isSyscall } = program.functions[paths.functionRow[path]]!;
    const name = isSyscall ? '[syscall]' : '[untraced]';
    return { name, write: () => sink(`${stack};${name} ${this.stoppedNs[path]}\n`) };
  }

  private childrenOf(path: PathId, { firstCall, callPath }: CallPaths): PathId[] {
    const called = new Set(callPath.subarray(firstCall[path], firstCall[path + 1]));
    return [...called].filter((child) => this.isVisited[child]);
  }
}

export interface FoldedDigest {
  readonly paths: number;
  readonly sha256: string;
}

/** Hashes the folded stacks, to compare them later. */
export function digest(fold: (sink: TextSink) => void): FoldedDigest {
  const hash = createHash('sha256');
  let paths = 0;
  fold((line) => {
    hash.update(line);
    paths++;
  });
  return { paths, sha256: hash.digest('hex') };
}
