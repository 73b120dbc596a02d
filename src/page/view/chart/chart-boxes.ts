/**
 * What a stack chart draws: calls, and blocks of calls that are too short to be drawn.
 */

import { float64Column, int32Column } from '../../../model/columns.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';

export const ChartBoxKind = {
  /** A call, or a part of one. */
  Call: 0,
  /** Calls that are shorter than a pixel, and all that they called. */
  Short: 1,
  /** Calls that are not listed, because they are too short. */
  Unlisted: 2,
} as const;
export type ChartBoxKind = (typeof ChartBoxKind)[keyof typeof ChartBoxKind];

/** By start; outer ones first. */
export interface ChartBoxes {
  readonly length: number;
  readonly kind: Int32Array;
  /** May be outside of the window. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** 0: the outermost functions. */
  readonly row: Int32Array;
  /** Of a call: its node. Of a block: that of the function that called its calls. */
  readonly node: Int32Array;
  /** Of a call: as in `Spans`. */
  readonly ending: Int32Array;
  /** How many calls it has, at least and at most. */
  readonly atLeast: Float64Array;
  readonly atMost: Float64Array;
  /** How many rows there are. */
  readonly rows: number;
  /** How many calls were read, and steps of searches made. */
  readonly examined: number;
}

export class ChartBoxesBuilder {
  private readonly kind = int32Column();
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly row = int32Column();
  private readonly node = int32Column();
  private readonly ending = int32Column();
  private readonly atLeast = float64Column();
  private readonly atMost = float64Column();
  private rows = 0;

  addCall(startNs: Nanoseconds, endNs: Nanoseconds, row: number, node: number, ending: number): void {
    this.add(ChartBoxKind.Call, startNs, endNs, row, node);
    this.count(ending, 1, 1);
  }

  addBlock(
    kind: ChartBoxKind,
    { startNs, endNs }: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds },
    row: number,
    node: number,
    { atLeast, atMost }: { readonly atLeast: number; readonly atMost: number },
  ): void {
    this.add(kind, startNs, endNs, row, node);
    this.count(0, atLeast, atMost);
  }

  build(examined: number): ChartBoxes {
    const { kind, startNs, endNs, row, node, ending, atLeast, atMost, rows } = this;
    return {
      length: kind.length,
      kind: kind.view(),
      startNs: startNs.view(),
      endNs: endNs.view(),
      row: row.view(),
      node: node.view(),
      ending: ending.view(),
      atLeast: atLeast.view(),
      atMost: atMost.view(),
      rows,
      examined,
    };
  }

  private add(kind: ChartBoxKind, startNs: Nanoseconds, endNs: Nanoseconds, row: number, node: number): void {
    this.kind.push(kind);
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.row.push(row);
    this.node.push(node);
    if (row >= this.rows) this.rows = row + 1;
  }

  private count(ending: number, atLeast: number, atMost: number): void {
    this.ending.push(ending);
    this.atLeast.push(atLeast);
    this.atMost.push(atMost);
  }
}

/** Returns how many of the outermost rows have one call each that fills the window. */
export function commonRows({ length, kind, row, startNs, endNs }: ChartBoxes, window: Bounds): number {
  let rows = 0;
  for (let box = 0; box < length && startNs[box] <= window.startNs; box++)
    if (kind[box] === ChartBoxKind.Call && row[box] === rows && endNs[box] >= window.endNs) rows++;
  return rows;
}
