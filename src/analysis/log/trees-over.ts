/**
 * Sums up a thread's time by node within many intervals, which may overlap, in one walk over its log.
 *
 * Time of intervals with the same key is added up. So for each key only the moments matter at which the number of its
 * open intervals changes: in between, the time of each node counts as often as intervals are open.
 */

import type { CallLog } from '../../model/calls/call-log.js';
import { ROOT } from '../../model/calls/call-tree.js';
import { Doubt } from '../../model/calls/doubts.js';
import { countBelow, float64Column, int32Column, rowNumbers, rowsOf, viewsOf } from '../../model/columns.js';
import { PairMap } from '../../model/pair-map.js';
import { type Nanoseconds, NONE, type NodeId } from '../../model/units.js';
import {
  type CallListener,
  IntervalSweep,
  type Intervals,
  OpenCall,
  type SweepListener,
  walkCalls,
} from './walk-calls.js';

/** Intervals with a key each, 0 or more. */
export interface KeyedIntervals extends Intervals {
  readonly key: Int32Array;
  /** How often each counts. Default: once. */
  readonly count?: Int32Array;
}

/** Rows in any order. */
export interface KeyedTime {
  /** The different keys, ascending. */
  readonly keys: Int32Array;
  /** Their `key` is an index of `keys`. */
  readonly rows: TimeRows;
}

/**
 * Returns the time by key and node, which adds up to the observed part of the intervals. `nodes`: number of nodes in the
 * thread's tree.
 */
export function treesOver(log: CallLog, nodes: number, intervals: KeyedIntervals): KeyedTime {
  const sums = new IntervalSums(nodes, intervals);
  walkCalls(log, sums);
  return sums.build();
}

class IntervalSums implements CallListener, SweepListener {
  private readonly sweep: IntervalSweep;
  private readonly times: NodeTimes;
  private readonly rows = new TimeRowsBuilder();
  private readonly keys: Int32Array;
  /** By interval: the index of its key. */
  private readonly keyOf: Int32Array;
  private readonly count: Int32Array;
  /** By index of a key: how many intervals it has, how many of these are open, and the mark at which that changed. */
  private readonly intervalsOf: Int32Array;
  private readonly openOf: Int32Array;
  private readonly markOf: Int32Array;
  private open = 0;
  /** The key whose number of open intervals changes. */
  private changed = 0;

  constructor(nodes: number, intervals: KeyedIntervals) {
    this.times = new NodeTimes(nodes);
    this.keys = distinct(intervals.key);
    this.keyOf = intervals.key.map((key) => countBelow(this.keys, key));
    this.count = intervals.count ?? new Int32Array(intervals.key.length).fill(1);
    this.intervalsOf = new Int32Array(this.keys.length);
    this.keyOf.forEach((key, row) => {
      this.intervalsOf[key] += this.count[row];
    });
    this.openOf = new Int32Array(this.keys.length);
    this.markOf = new Int32Array(this.keys.length);
    this.sweep = new IntervalSweep(intervals, this);
  }

  newCall(): OpenCall {
    return new OpenCall();
  }

  opened(): void {}

  closed(): void {}

  spent(top: OpenCall | null, fromNs: Nanoseconds, toNs: Nanoseconds, doubt: Doubt): void {
    const node = top === null ? ROOT : top.node;
    const { sweep } = this;
    let atNs = fromNs;
    for (; sweep.nextNs < toNs; sweep.passNext()) {
      this.charge(node, sweep.nextNs - atNs, doubt);
      atNs = Math.max(atNs, sweep.nextNs);
    }
    this.charge(node, toNs - atNs, doubt);
  }

  started(row: number): void {
    this.change(this.keyOf[row], this.count[row]);
  }

  ended(row: number): void {
    this.change(this.keyOf[row], -this.count[row]);
  }

  build(): KeyedTime {
    while (this.sweep.nextNs < Number.POSITIVE_INFINITY) this.sweep.passNext();
    return { keys: this.keys, rows: this.rows.build() };
  }

  private readonly add: NodeTime = (node, ns, inferredNs) => {
    const count = this.openOf[this.changed];
    this.rows.add(this.changed, node, count * ns, count * inferredNs);
  };

  /** The time of a key's only interval. */
  private readonly append: NodeTime = (node, ns, inferredNs) => {
    this.rows.append(this.changed, node, ns, inferredNs);
  };

  private charge(node: NodeId, ns: Nanoseconds, doubt: Doubt): void {
    if (this.open > 0 && ns > 0) this.times.charge(node, ns, doubt !== Doubt.None);
  }

  private change(key: number, by: number): void {
    const count = this.openOf[key];
    this.changed = key;
    if (count > 0) this.times.since(this.markOf[key], this.intervalsOf[key] === 1 ? this.append : this.add);
    this.openOf[key] += by;
    this.open += by;
    if (this.open === 0) this.times.clear();
    this.markOf[key] = this.times.mark();
  }
}

function distinct(values: Int32Array): Int32Array {
  return values.toSorted().filter((value, at, sorted) => at === 0 || value !== sorted[at - 1]);
}

/**
 * Sums up a thread's time by node, and returns how much each node got since an earlier mark. That costs as much as there
 * are nodes with time since then, however long ago it was.
 *
 * The first charge of a node after a mark adds an entry with its sums before. Nodes are listed by their newest entry. A
 * node's entries are a list with jumps to earlier ones, so the one that follows a mark is found in logarithmic time.
 *
 * Receives the time of a node.
 */
type NodeTime = (node: NodeId, ns: Nanoseconds, inferredNs: Nanoseconds) => void;

class NodeTimes {
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

// Adds up time by key and node, and orders it.

/** A row for each key and node with time: by key, then node. */
export interface TimeRows {
  readonly key: Int32Array;
  readonly node: Int32Array;
  readonly ns: Float64Array;
  /** The part of it on unconfirmed paths or around hidden jumps. */
  readonly inferredNs: Float64Array;
}

class TimeRowsBuilder {
  private readonly key = int32Column();
  private readonly node = int32Column();
  private readonly ns = float64Column();
  private readonly inferredNs = float64Column();
  /** By key and node; without those that were appended. */
  private readonly rows = new PairMap();

  add(key: number, node: NodeId, ns: Nanoseconds, inferredNs: Nanoseconds): void {
    const row = this.rowOf(key, node);
    this.ns.values[row] += ns;
    this.inferredNs.values[row] += inferredNs;
  }

  /** Adds time of a key and node that no other time is added to. */
  append(key: number, node: NodeId, ns: Nanoseconds, inferredNs: Nanoseconds): number {
    this.key.push(key);
    this.node.push(node);
    this.ns.push(ns);
    this.inferredNs.push(inferredNs);
    return this.key.length - 1;
  }

  /** In the order in which they were added. */
  build(): TimeRows {
    const { key, node, ns, inferredNs } = this;
    return viewsOf({ key, node, ns, inferredNs });
  }

  private rowOf(key: number, node: NodeId): number {
    const known = this.rows.find(key, node);
    if (known !== NONE) return known;
    const row = this.append(key, node, 0, 0);
    this.rows.add(key, node, row);
    return row;
  }
}

/** Returns the rows by key, then by node. `keys` and `nodes`: how many there are. */
export function inOrder({ key, node, ns, inferredNs }: TimeRows, keys: number, nodes: number): TimeRows {
  const rows = stablyOrdered(stablyOrdered(rowNumbers(key.length), node, nodes), key, keys);
  return rowsOf({ key, node, ns, inferredNs }, rows);
}

/** Orders rows by a value below `count`. */
function stablyOrdered(rows: Int32Array, values: Int32Array, count: number): Int32Array {
  const next = new Int32Array(count + 1);
  for (const row of rows) next[values[row] + 1]++;
  for (let value = 0; value < count; value++) next[value + 1] += next[value];
  const ordered = new Int32Array(rows.length);
  for (const row of rows) ordered[next[values[row]]++] = row;
  return ordered;
}
