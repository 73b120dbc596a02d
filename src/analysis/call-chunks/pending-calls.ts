/**
 * Calls of one list that wait for earlier ones which have not ended yet.
 */
import { float64Column, int32Column, rowNumbers } from '../../model/columns.js';
import type { Spans } from '../../model/timeline/timeline.js';
import { type Nanoseconds, NONE, type NodeId } from '../../model/units.js';
import { spansAt } from '../timeline/spans/thread-spans.js';

export class PendingCalls {
  private columns = newColumns();
  private nextTry: number;
  private readonly chunkLength: number;

  constructor(chunkLength: number) {
    this.chunkLength = chunkLength;
    this.nextTry = 2 * chunkLength;
  }

  /** Whether it is time to look for those that wait for none. */
  get isFull(): boolean {
    return this.columns.node.length >= this.nextTry;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number): void {
    const { columns } = this;
    columns.startNs.push(startNs);
    columns.endNs.push(endNs);
    columns.node.push(node);
    columns.ending.push(ending);
  }

  /**
   * Removes and returns chunks of those that started up to a moment, by start; of two that start together, the one that
   * ended last comes first. Calls that do not fill a chunk stay, unless all are requested.
   */
  takeUpTo(lastStartNs: Nanoseconds): Spans[] {
    const rows = this.rows();
    const { startNs } = rows;
    const order = rowNumbers(startNs.length).sort((a, b) => startNs[a] - startNs[b] || b - a);
    const { chunkLength } = this;
    const isLast = lastStartNs === Number.POSITIVE_INFINITY;
    const late = order.findIndex((row) => startNs[row] > lastStartNs);
    const final = late === NONE ? order.length : late;
    const taken = isLast ? final : final - (final % chunkLength);
    const chunks: Spans[] = [];
    for (let at = 0; at < taken; at += chunkLength)
      chunks.push(spansAt(rows, order.subarray(at, Math.min(at + chunkLength, taken))));
    this.keep(rows, order.slice(taken).sort());
    return chunks;
  }

  /** `kept`: in the order in which they ended. */
  private keep({ startNs, endNs, node, ending }: Spans, kept: Int32Array): void {
    this.columns = newColumns();
    for (const row of kept) this.push(node[row], startNs[row], endNs[row], ending[row]);
    this.nextTry = 2 * Math.max(this.chunkLength, kept.length);
  }

  private rows(): Spans {
    const { startNs, endNs, node, ending } = this.columns;
    return { startNs: startNs.view(), endNs: endNs.view(), node: node.view(), ending: ending.view() };
  }
}

function newColumns() {
  return { startNs: float64Column(), endNs: float64Column(), node: int32Column(), ending: int32Column() };
}
