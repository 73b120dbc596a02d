/**
 * Finds what arrow keys lead to in a plot of calls: from call to call, or from cell to cell of a heat map.
 */
import { timeColumn } from '../../../analysis/calls/time-grid.js';
import type { CallsPlot, PlottedCall, PlottedCell } from '../../../render/plot/calls-plot.js';

/** Left and right follow the time, up and down the duration. */
export const SPOT_KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const;
export type SpotKey = (typeof SPOT_KEYS)[number];

type Drawn = Pick<CallsPlot, 'durationNs' | 'cells' | 'calls'>;

/** Returns the row of the call that a key leads to. `at`: where the keys are; undefined: nowhere yet. */
export function callAway({ calls }: Drawn, at: number | undefined, key: SpotKey): number | undefined {
  if (calls.length === 0) return undefined;
  const byStart = calls.map((_, row) => row).sort((a, b) => calls[a].startNs - calls[b].startNs || a - b);
  if (key === 'Home') return byStart[0];
  if (key === 'End') return byStart.at(-1);
  if (at === undefined) return 0; // the longest
  const inTime = byStart.indexOf(at);
  const next = {
    ArrowLeft: byStart[inTime - 1],
    ArrowRight: byStart[inTime + 1],
    ArrowUp: at - 1,
    ArrowDown: at + 1,
  }[key];
  return next === undefined || calls[next] === undefined ? at : next;
}

/** Likewise, the row of a cell: the next column with calls, or the next longer or shorter cell of a column. */
export function cellAway({ cells }: Drawn, at: number | undefined, key: SpotKey): number | undefined {
  const rows = cells.map((_, row) => row);
  const from = at === undefined ? undefined : cells[at];
  const height = (row: number) => Math.log2(1 + cells[row].fromNs);
  if (from === undefined || key === 'Home' || key === 'End') {
    const last = key === 'End' ? -1 : 1;
    return rows.sort((a, b) => last * (cells[a].column - cells[b].column) || height(b) - height(a))[0];
  }
  const { column } = from;
  const level = height(at as number);
  const isUpright = key === 'ArrowUp' || key === 'ArrowDown';
  const sign = key === 'ArrowRight' || key === 'ArrowUp' ? 1 : -1;
  const steps = (row: number) => sign * (isUpright ? height(row) - level : cells[row].column - column);
  const ahead = rows.filter((row) => steps(row) > 0 && (!isUpright || cells[row].column === column));
  const aside = (row: number) => Math.abs(height(row) - level);
  return ahead.sort((a, b) => steps(a) - steps(b) || aside(a) - aside(b) || a - b)[0] ?? at;
}

/** Returns the row of the longest call in a cell; -1: it is not listed. */
export function longestInCell({ calls, durationNs }: Drawn, { column, fromNs, toNs }: PlottedCell): number {
  const bounds = { startNs: 0, endNs: durationNs };
  const isIn = (call: PlottedCall) =>
    call.durationNs >= fromNs && call.durationNs < toNs && timeColumn(bounds, call.startNs) === column;
  return calls.findIndex(isIn);
}
