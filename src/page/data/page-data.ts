/**
 * Defines the data of the report page: the shape of all trees together, and the numbers of each thread on it.
 */

import { damagedAt } from '../../codec/file-fault.js';
import type { NumberReader } from '../../codec/numbers.js';
import { pageWriter } from '../../codec/page-numbers.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { NodeDoubts } from '../../model/calls/doubts.js';
import type { NodesOfShape, Shape } from '../../model/calls/overlay.js';
import type { Quality, ThreadProfile, TraceMeta } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';
import type { PageTrigger } from './trigger.js';

export interface PageData {
  readonly meta: TraceMeta;
  /** Symbols that a tree or durations use. */
  readonly symbols: SymbolTable;
  readonly quality: Quality;
  /** All call paths of all threads, in pre-order with siblings by name: each subtree is contiguous. */
  readonly shape: Shape;
  readonly threads: readonly PageThread[]; // by tid
  readonly waits: WaitsByPath | null;
  /** Two recordings are compared: the first thread is all of one, the second all of the other. Absent: it is one. */
  readonly compared?: ComparedRecordings | undefined;
  /** The call that the snapshot was taken of; absent: it is no snapshot of a call. */
  readonly trigger?: PageTrigger | undefined;
}

export interface ComparedRecordings {
  /** What times and numbers of calls are multiplied by. */
  readonly scales: { readonly before: number; readonly after: number };
  /** What that is: null: nothing. */
  readonly per: 'call' | 'second' | null;
}

/** A thread without its tree: its rows are nodes of the shape, ascending; the first is the root. */
export interface PageThread extends Omit<ThreadProfile, 'tree'>, NodesOfShape {
  /** Why its time is inferred, by row; absent: nothing is, or it is unknown. */
  readonly doubts?: NodeDoubts | undefined;
}

/** Encodes and decodes the head of the page data: everything that is not a column, as JSON. */
export interface PageHead {
  readonly meta: TraceMeta;
  readonly symbols: SymbolTable;
  readonly quality: Quality;
  /** Number of nodes of the shape. */
  readonly nodes: number;
  readonly threads: readonly ThreadHead[];
  /** Left out if nothing is known of them. */
  readonly waits?: WaitsByPath;
  /** Left out unless recordings are compared. */
  readonly compared?: ComparedRecordings;
  /** Left out unless it is a snapshot of a call. */
  readonly trigger?: PageTrigger;
}

export interface ThreadHead extends Omit<ThreadProfile, 'tree' | 'durations'> {
  /** Left out if nothing is inferred, or it is unknown why. */
  readonly doubts?: NodeDoubts;
  /** Number of nodes of the shape that the thread has. */
  readonly nodes: number;
  /** Number of rows; null if unknown. */
  readonly durations: number | null;
}

/** JSON has no bigint. */
interface WrittenHead extends Omit<PageHead, 'meta' | 'threads'> {
  readonly threads: readonly WrittenThread[];
  readonly meta: Omit<TraceMeta, 'originNs'> & { readonly originNs: string };
}

interface WrittenThread extends Omit<ThreadHead, 'doubts'> {
  readonly doubts?: { readonly [Column in keyof NodeDoubts]: readonly number[] };
}

function writtenThread({ doubts, ...thread }: ThreadHead): WrittenThread {
  if (doubts === undefined) return thread;
  const { node, doubt, ns } = doubts;
  return { ...thread, doubts: { node: [...node], doubt: [...doubt], ns: [...ns] } };
}

function readThread({ doubts, ...thread }: WrittenThread): ThreadHead {
  if (doubts === undefined) return thread;
  const { node, doubt, ns } = doubts;
  const columns = { node: Int32Array.from(node), doubt: Uint8Array.from(doubt), ns: Float64Array.from(ns) };
  return { ...thread, doubts: columns };
}

export function headBytes(head: PageHead): Uint8Array {
  const meta = { ...head.meta, originNs: String(head.meta.originNs) };
  const written: WrittenHead = { ...head, meta, threads: head.threads.map(writtenThread) };
  const writer = pageWriter();
  writer.text(JSON.stringify(written));
  return writer.view();
}

export function readHead(reader: NumberReader): PageHead {
  const { meta, threads, ...head } = JSON.parse(reader.text()) as WrittenHead;
  return { ...head, threads: threads.map(readThread), meta: { ...meta, originNs: BigInt(meta.originNs) } };
}

/**
 * Computes the caller of each node of a thread, as a row of the thread's nodes.
 *
 * Returns the caller rows of each thread.
 */
export function callerRows(shape: Shape, nodes: readonly Int32Array[]): Int32Array[] {
  const rowOf = new Int32Array(shape.length);
  return nodes.map((node) => rowsOf(shape, node, rowOf));
}

/** Returns the rows of the callers; NONE for the root. `rowOf`: scratch memory, as long as the shape. */
function rowsOf({ parent }: Shape, node: Int32Array, rowOf: Int32Array): Int32Array {
  if (node[0] !== ROOT) throw damagedAt('a thread of the page', 'has no root');
  const rows = new Int32Array(node.length).fill(NONE);
  for (let row = 1; row < node.length; row++) {
    rows[row] = rowOf[parent[node[row]]];
    if (!(node[row] > node[row - 1] && node[rows[row]] === parent[node[row]]))
      throw damagedAt('a thread of the page', 'has no tree');
    rowOf[node[row]] = row;
  }
  return rows;
}
