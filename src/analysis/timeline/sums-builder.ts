/**
 * Sums up calls and times of one thread by slice of time. Reused for the next thread.
 */

import { float64Column, int32Column, rowNumbers, uint8Column } from '../../model/columns.js';
import type { ListedCalls, ListedTimes, SliceRows, ThreadSums } from '../../model/profile/timeline.js';
import { type Nanoseconds, NONE, type NodeId } from '../../model/units.js';
import {
  keptNodes,
  LISTED,
  NO_SUMS,
  type Resolution,
  resolutionOf,
  sliceAround,
  type TimedPaths,
} from './resolution.js';
import { addNumbers, addOwnTime, copyOf, countCall, SumRows } from './sum-rows.js';

/** Calls and times of a thread that are listed one by one. Reused for the next thread. */
class CallRows {
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly node = int32Column();
  private readonly ending = int32Column();
  private readonly knownNs = float64Column();

  get length(): number {
    return this.node.length;
  }

  clear(): void {
    const { startNs, endNs, node, ending, knownNs } = this;
    for (const column of [startNs, endNs, node, ending, knownNs]) column.length = 0;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.node.push(node);
    this.ending.push(ending);
    this.knownNs.push(knownNs);
  }

  /** Shares memory with the columns. */
  view(): ListedCalls {
    const { startNs, endNs, node, ending, knownNs } = this;
    return {
      startNs: startNs.view(),
      endNs: endNs.view(),
      node: node.view(),
      ending: ending.view(),
      knownNs: knownNs.view(),
    };
  }

  build(): ListedCalls {
    const { startNs, endNs, node, ending, knownNs } = this.view();
    return {
      startNs: startNs.slice(),
      endNs: endNs.slice(),
      node: node.slice(),
      ending: ending.slice(),
      knownNs: knownNs.slice(),
    };
  }
}

class TimeRows {
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly node = int32Column();
  private readonly isInferred = uint8Column();

  get length(): number {
    return this.node.length;
  }

  clear(): void {
    const { startNs, endNs, node, isInferred } = this;
    for (const column of [startNs, endNs, node, isInferred]) column.length = 0;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.node.push(node);
    this.isInferred.push(isInferred ? 1 : 0);
  }

  /** Shares memory with the columns. */
  view(): ListedTimes {
    const { startNs, endNs, node, isInferred } = this;
    return { startNs: startNs.view(), endNs: endNs.view(), node: node.view(), isInferred: isInferred.view() };
  }

  build(): ListedTimes {
    const { startNs, endNs, node, isInferred } = this.view();
    return { startNs: startNs.slice(), endNs: endNs.slice(), node: node.slice(), isInferred: isInferred.slice() };
  }
}

/** Measured on pages: what a row, a listed call and a listed time take there. */
const ROW_BYTES = 6.5;
const CALL_BYTES = 4.8;
const TIME_BYTES = 8;

/** Returns about how many bytes sums take in a page. */
export function sumsBytes({ rows, calls, times }: ThreadSums): number {
  return bytesOf(rows.node.length, calls.node.length, times.node.length);
}

export function bytesOf(rows: number, calls: number, times: number): number {
  return rows * ROW_BYTES + calls * CALL_BYTES + times * TIME_BYTES;
}

export class SumsBuilder {
  resolution: Resolution = resolutionOf(LISTED, 0);
  /** By node: the one that stands for it. */
  private kept: Int32Array = new Int32Array(0);
  private readonly rows = new SumRows();
  private readonly calls = new CallRows();
  private readonly times = new TimeRows();

  clear(resolution: Resolution, paths: TimedPaths): void {
    this.resolution = resolution;
    this.kept = keptNodes(paths, resolution.minPathNs);
    this.rows.clear(paths.length);
    this.calls.clear();
    this.times.clear();
  }

  /** Keeps these many nodes, each for itself; those that there are keep their sums. */
  addPaths(length: number): void {
    if (length <= this.kept.length) return;
    this.kept = Int32Array.from(rowNumbers(2 * length));
    this.rows.addNodes(this.kept.length);
  }

  /** As `sumsBytes`. */
  get bytes(): number {
    return bytesOf(this.rows.length, this.calls.length, this.times.length);
  }

  addCall(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    const slice = sliceAround(this.resolution, startNs, endNs);
    if (slice !== NONE) this.addCallWithin(slice, node, ending, endNs - startNs, knownNs);
    else if (this.kept[node] === node) this.calls.push(node, startNs, endNs, ending, knownNs);
  }

  /** Adds a call that is within one slice. */
  addCallWithin(slice: number, node: NodeId, ending: number, ns: Nanoseconds, knownNs: Nanoseconds): void {
    if (this.kept[node] === node) countCall(this.rows, this.rows.row(slice, node), ending, ns, knownNs);
  }

  /** Adds a call without callees, that returned, and its time. */
  addLeafWithin(slice: number, path: NodeId, ns: Nanoseconds, isInferred: boolean): void {
    const { rows } = this;
    const node = this.kept[path];
    if (node !== path && ns === 0) return;
    const row = rows.row(slice, node);
    rows.selfNs[row] += ns;
    if (isInferred) rows.inferredNs[row] += ns;
    if (node === path) countCall(rows, row, NONE, ns, ns);
  }

  /** `isInferred`: it is not certain that the time is that of the path. */
  addTime(path: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    const slice = sliceAround(this.resolution, startNs, endNs);
    if (slice !== NONE) this.addTimeWithin(slice, path, endNs - startNs, isInferred);
    else this.times.push(this.kept[path], startNs, endNs, isInferred);
  }

  /** Adds time that is within one slice. */
  addTimeWithin(slice: number, path: NodeId, ns: Nanoseconds, isInferred: boolean): void {
    const row = this.rows.row(slice, this.kept[path]);
    this.rows.selfNs[row] += ns;
    if (isInferred) this.rows.inferredNs[row] += ns;
  }

  /** Adds finer sums, in the order of time. `sliceNs`: the duration of their slices. */
  addFiner({ rows, calls, times }: ThreadSums, sliceNs: Nanoseconds): void {
    const { length } = rows.node;
    const [callCount, timeCount] = [calls.node.length, times.node.length];
    let [call, time] = [0, 0];
    for (let row = 0; row < length; row++) {
      const startNs = rows.slice[row] * sliceNs;
      while (call < callCount && calls.endNs[call] <= startNs) this.addListedCall(calls, call++);
      while (time < timeCount && times.endNs[time] <= startNs) this.addListedTime(times, time++);
      this.addRow(rows, row, sliceNs);
    }
    while (call < callCount) this.addListedCall(calls, call++);
    while (time < timeCount) this.addListedTime(times, time++);
  }

  /** Returns sums that are valid until the builder is used again; rows are in the order in which they were added. */
  view(): ThreadSums {
    return { rows: this.rows.view(), calls: this.calls.view(), times: this.times.view() };
  }

  /** Returns a copy. */
  build(): ThreadSums {
    return { rows: copyOf(this.rows.view()), calls: this.calls.build(), times: this.times.build() };
  }

  private addRow(rows: SliceRows, from: number, sliceNs: Nanoseconds): void {
    const path = rows.node[from];
    const node = this.kept[path];
    if (node !== path && rows.selfNs[from] === 0) return;
    const row = this.rows.row(Math.floor((rows.slice[from] * sliceNs) / this.resolution.sliceNs), node);
    if (node === path) addNumbers(this.rows, row, rows, from);
    else addOwnTime(this.rows, row, rows, from);
  }

  private addListedCall({ node, startNs, endNs, ending, knownNs }: ListedCalls, row: number): void {
    this.addCall(node[row], startNs[row], endNs[row], ending[row], knownNs[row]);
  }

  private addListedTime({ node, startNs, endNs, isInferred }: ListedTimes, row: number): void {
    this.addTime(node[row], startNs[row], endNs[row], isInferred[row] === 1);
  }
}

// Sums of a thread that become coarser while they take too many bytes. What they are depends on their level alone, not on
// when it was reached.

/** Adds the sums of one level to a builder at a coarser one. `durationNs`: of the timeline. */
export function coarsen(
  builder: SumsBuilder,
  sums: ThreadSums,
  levels: { readonly from: number; readonly to: number },
  durationNs: Nanoseconds,
  paths: TimedPaths,
): void {
  builder.clear(resolutionOf(levels.to, durationNs), paths);
  builder.addFiner(sums, resolutionOf(levels.from, durationNs).sliceNs);
}

/** Memory for the sums of one thread after the other. */
export class SumsMemory {
  current = new SumsBuilder();
  next = new SumsBuilder();
}

export class BoundedSums {
  level: number;

  /** `memory`: of this thread until its sums are built. `coarsest`: at this level they may take more bytes. */
  constructor(
    firstLevel: number,
    private readonly durationNs: Nanoseconds,
    private readonly paths: TimedPaths,
    private readonly maxBytes: number,
    private readonly memory: SumsMemory,
    private readonly coarsest: number = NO_SUMS,
  ) {
    this.level = firstLevel;
    if (firstLevel !== NO_SUMS) memory.current.clear(resolutionOf(firstLevel, durationNs), paths);
  }

  addCall(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    if (this.level === NO_SUMS) return;
    const { current } = this.memory;
    current.addCall(node, startNs, endNs, ending, knownNs);
    if (current.bytes > this.maxBytes) this.limit();
  }

  addTime(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    if (this.level === NO_SUMS) return;
    const { current } = this.memory;
    current.addTime(node, startNs, endNs, isInferred);
    if (current.bytes > this.maxBytes) this.limit();
  }

  /** What is within one slice may be added to it; null: there are no sums. Both may change with `addCall` and `addTime`. */
  get sliced(): SumsBuilder | null {
    return this.level === NO_SUMS ? null : this.memory.current;
  }

  /** Adds finer sums, or sums of this level. */
  addFiner(sums: ThreadSums, level: number): void {
    if (this.level === NO_SUMS) return;
    this.memory.current.addFiner(sums, resolutionOf(level, this.durationNs).sliceNs);
    this.limit();
  }

  /** Returns a copy, at this level if what was reached is finer; null if even the coarsest would take too many bytes. */
  build(level: number): ThreadSums | null {
    this.limit();
    if (level > this.level) this.coarsenTo(level);
    return this.level === NO_SUMS ? null : this.memory.current.build();
  }

  private limit(): void {
    const { memory, paths, durationNs, maxBytes, coarsest } = this;
    while (this.level < coarsest && memory.current.bytes > maxBytes) {
      const thread = { sums: memory.current.view(), paths };
      this.coarsenTo(Math.min(coarsest, nextLevel([thread], this.level, durationNs, maxBytes)));
    }
  }

  private coarsenTo(level: number): void {
    const { memory, durationNs, paths } = this;
    const { current, next } = memory;
    if (level !== NO_SUMS) coarsen(next, current.view(), { from: this.level, to: level }, durationNs, paths);
    this.level = level;
    memory.current = next;
    memory.next = current;
  }
}

/** Finds a coarser level of sums without making them: levels that are surely too fine are passed over. */
interface SummedThread {
  readonly sums: ThreadSums | null;
  readonly paths: TimedPaths;
}

/**
 * Returns the finest level after `level`, which all threads have, at which their sums may take at most so many bytes.
 * `durationNs`: of the timeline.
 */
export function nextLevel(
  threads: readonly SummedThread[],
  level: number,
  durationNs: Nanoseconds,
  maxBytes: number,
): number {
  const { sliceNs } = resolutionOf(level, durationNs);
  for (let next = level + 1; next < NO_SUMS; next++) {
    const resolution = resolutionOf(next, durationNs);
    let bytes = 0;
    for (const thread of threads) {
      bytes += leastBytes(thread, sliceNs, resolution);
      if (bytes > maxBytes) break;
    }
    if (bytes <= maxBytes) return next;
  }
  return NO_SUMS;
}

/** Returns how many bytes sums take at least at a coarser level: what is listed now may add rows. */
function leastBytes({ sums, paths }: SummedThread, sliceNs: Nanoseconds, to: Resolution): number {
  if (sums === null) return 0;
  const { rows, calls, times } = sums;
  const kept = keptNodes(paths, to.minPathNs);
  const callCount = crossingCalls(calls, kept, to);
  return bytesOf(rowCount(rows, sliceNs, to.sliceNs, kept), callCount, crossingTimes(times, to));
}

function crossingCalls({ startNs, endNs, node }: ListedCalls, kept: Int32Array, to: Resolution): number {
  let count = 0;
  for (let row = 0; row < node.length; row++)
    if (kept[node[row]] === node[row] && sliceAround(to, startNs[row], endNs[row]) === NONE) count++;
  return count;
}

function crossingTimes({ startNs, endNs }: ListedTimes, to: Resolution): number {
  let count = 0;
  for (let row = 0; row < startNs.length; row++) if (sliceAround(to, startNs[row], endNs[row]) === NONE) count++;
  return count;
}

/** Returns how many rows there are in longer slices. `kept`: by node, the one that stands for it. */
function rowCount(
  { slice, node, selfNs }: ThreadSums['rows'],
  fromNs: Nanoseconds,
  toNs: Nanoseconds,
  kept: Int32Array,
): number {
  const last = new Int32Array(kept.length).fill(NONE);
  let count = 0;
  for (let row = 0; row < node.length; row++) {
    const own = kept[node[row]];
    const longer = Math.floor((slice[row] * fromNs) / toNs);
    if (longer <= last[own] || (own !== node[row] && selfNs[row] === 0)) continue;
    last[own] = longer;
    count++;
  }
  return count;
}
