/**
 * Calls and time by path, as the plain twins count them: with nothing of the code that they are compared with.
 */

/** All calls along one path. */
export interface PathRow {
  calls: number;
  inferredCalls: number;
  selfNs: number;
  inferredNs: number;
  completeNs: number;
  minNs: number; // Infinity if no call is complete
  maxNs: number; // -Infinity likewise
}

/** `path`: its functions, each on a line. */
export function rowOf(rows: Map<string, PathRow>, path: string): PathRow {
  let row = rows.get(path);
  if (row === undefined) {
    row = { calls: 0, inferredCalls: 0, selfNs: 0, inferredNs: 0, completeNs: 0, minNs: Infinity, maxNs: -Infinity };
    rows.set(path, row);
  }
  return row;
}

/** `durationNs`: null if it was not seen whole. */
export function count(row: PathRow, durationNs: number | null): void {
  row.calls++;
  if (durationNs === null) {
    row.inferredCalls++;
    return;
  }
  row.completeNs += durationNs;
  row.minNs = Math.min(row.minNs, durationNs);
  row.maxNs = Math.max(row.maxNs, durationNs);
}

/** Rows that something was counted or charged on, in an order. */
export function used(rows: ReadonlyMap<string, PathRow>): [string, PathRow][] {
  return [...rows].filter(([, { calls, selfNs }]) => calls > 0 || selfNs > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}
