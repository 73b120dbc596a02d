/**
 * Calls and time by path, as the plain twins count them: with nothing of the code that they are compared with.
 */

/** All calls along one path. */
export interface PathRow {
  calls: number;
  inferredCalls: number;
  unwoundCalls: number;
  selfNs: number;
  inferredNs: number;
  completeNs: number;
  minNs: number; // Infinity if no call is complete
  maxNs: number; // -Infinity likewise
  longestCutNs: number; // 0 likewise, of the inferred ones
}

/** How a call went. */
export interface CallSpan {
  readonly ns: number;
  /** Its start or end was not seen: it was surely there for so long; null: it is whole. */
  readonly knownNs: number | null;
  /** An exception or a longjmp ended it. */
  readonly isUnwound: boolean;
}

/** `path`: its functions, each on a line. */
export function rowOf(rows: Map<string, PathRow>, path: string): PathRow {
  let row = rows.get(path);
  if (row === undefined) {
    const counts = { calls: 0, inferredCalls: 0, unwoundCalls: 0, longestCutNs: 0 };
    row = { ...counts, selfNs: 0, inferredNs: 0, completeNs: 0, minNs: Infinity, maxNs: -Infinity };
    rows.set(path, row);
  }
  return row;
}

export function count(row: PathRow, { ns, knownNs, isUnwound }: CallSpan): void {
  row.calls++;
  if (knownNs !== null) {
    row.inferredCalls++;
    row.longestCutNs = Math.max(row.longestCutNs, knownNs);
    return;
  }
  if (isUnwound) row.unwoundCalls++;
  row.completeNs += ns;
  row.minNs = Math.min(row.minNs, ns);
  row.maxNs = Math.max(row.maxNs, ns);
}

/** Rows that something was counted or charged on, in an order. */
export function used(rows: ReadonlyMap<string, PathRow>): [string, PathRow][] {
  return [...rows].filter(([, { calls, selfNs }]) => calls > 0 || selfNs > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}
