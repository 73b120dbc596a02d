/**
 * Adds up time by key and node, and orders it.
 */
import { float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { PairMap } from '../../model/pair-map.js';
import { type Nanoseconds, NONE, type NodeId } from '../../model/units.js';

/** A row for each key and node with time: by key, then node. */
export interface TimeRows {
  readonly key: Int32Array;
  readonly node: Int32Array;
  readonly ns: Float64Array;
  /** The part of it on unconfirmed paths or around hidden jumps. */
  readonly inferredNs: Float64Array;
}

export class TimeRowsBuilder {
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
    return { key: key.view(), node: node.view(), ns: ns.view(), inferredNs: inferredNs.view() };
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
  return {
    ...{ key: valuesOf(key, rows), node: valuesOf(node, rows) },
    ...{ ns: valuesOf(ns, rows), inferredNs: valuesOf(inferredNs, rows) },
  };
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
