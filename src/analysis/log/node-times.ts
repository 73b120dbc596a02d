/**
 * Sums up a thread's time by node, and returns how much each node got since an earlier mark. That costs as much as there
 * are nodes with time since then, however long ago it was.
 *
 * The first charge of a node after a mark adds an entry with its sums before. Nodes are listed by their newest entry. A
 * node's entries are a list with jumps to earlier ones, so the one that follows a mark is found in logarithmic time.
 */
import { float64Column, int32Column } from '../../model/columns.js';
import { type Nanoseconds, NONE, type NodeId } from '../../model/units.js';

/** Receives the time of a node. */
export type NodeTime = (node: NodeId, ns: Nanoseconds, inferredNs: Nanoseconds) => void;

export class NodeTimes {
  private readonly ns: Float64Array;
  private readonly inferredNs: Float64Array;
  /** By node: its newest entry, and its neighbours in the list of nodes. */
  private readonly newest: Int32Array;
  private readonly older: Int32Array;
  private readonly newer: Int32Array;
  private newestNode = NONE;
  /** By entry: the mark that it follows, the entry before it of the same node, an earlier one, and how many precede it. */
  private readonly markOf = int32Column();
  private readonly previous = int32Column();
  private readonly jump = int32Column();
  private readonly depth = int32Column();
  private readonly nsBefore = float64Column();
  private readonly inferredNsBefore = float64Column();
  private lastMark = 0;
  private isCharged = false;

  constructor(nodes: number) {
    this.ns = new Float64Array(nodes);
    this.inferredNs = new Float64Array(nodes);
    this.newest = new Int32Array(nodes).fill(NONE);
    this.older = new Int32Array(nodes);
    this.newer = new Int32Array(nodes);
  }

  charge(node: NodeId, ns: Nanoseconds, isInferred: boolean): void {
    const entry = this.newest[node];
    if (entry === NONE || this.markOf.values[entry] !== this.lastMark) this.addEntry(node);
    this.ns[node] += ns;
    if (isInferred) this.inferredNs[node] += ns;
    this.isCharged = true;
  }

  /** Marks this moment. */
  mark(): number {
    if (this.isCharged) this.lastMark++;
    this.isCharged = false;
    return this.lastMark;
  }

  /** Reports the nodes with time since a mark, those charged last first. */
  since(mark: number, report: NodeTime): void {
    const { markOf, newest, older, ns, inferredNs, nsBefore, inferredNsBefore } = this;
    for (let node = this.newestNode; node !== NONE && markOf.values[newest[node]] >= mark; node = older[node]) {
      const entry = this.firstSince(mark, node);
      report(node, ns[node] - nsBefore.values[entry], inferredNs[node] - inferredNsBefore.values[entry]);
    }
  }

  /** Forgets all marks. */
  clear(): void {
    for (let node = this.newestNode; node !== NONE; node = this.older[node]) this.newest[node] = NONE;
    this.newestNode = NONE;
    const { markOf, previous, jump, depth, nsBefore, inferredNsBefore } = this;
    for (const column of [markOf, previous, jump, depth, nsBefore, inferredNsBefore]) column.length = 0;
  }

  private firstSince(mark: number, node: NodeId): number {
    const markOf = this.markOf.values;
    for (let entry = this.newest[node]; ; ) {
      const previous = this.previous.values[entry];
      if (previous === NONE || markOf[previous] < mark) return entry;
      const jump = this.jump.values[entry];
      entry = markOf[jump] >= mark ? jump : previous;
    }
  }

  private addEntry(node: NodeId): void {
    const previous = this.newest[node];
    const entry = this.markOf.length;
    this.moveToFront(node, previous !== NONE);
    this.newest[node] = entry;
    this.markOf.push(this.lastMark);
    this.previous.push(previous);
    this.jump.push(previous === NONE ? entry : this.jumpFrom(previous));
    this.depth.push(previous === NONE ? 0 : this.depth.values[previous] + 1);
    this.nsBefore.push(this.ns[node]);
    this.inferredNsBefore.push(this.inferredNs[node]);
  }

  /** Two jumps of equal length become one of twice the length. */
  private jumpFrom(previous: number): number {
    const [jump, depth] = [this.jump.values, this.depth.values];
    const near = jump[previous];
    const far = jump[near];
    return depth[previous] - depth[near] === depth[near] - depth[far] ? far : previous;
  }

  private moveToFront(node: NodeId, isListed: boolean): void {
    const { older, newer, newestNode } = this;
    if (node === newestNode) return;
    if (isListed) {
      older[newer[node]] = older[node];
      if (older[node] !== NONE) newer[older[node]] = newer[node];
    }
    older[node] = newestNode;
    if (newestNode !== NONE) newer[newestNode] = node;
    this.newestNode = node;
  }
}
