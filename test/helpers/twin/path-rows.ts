/**
 * Calls and time by path, as the reference code counts them, independently of the code it is compared with.
 */

/** All calls of one path. */
export interface PathRow {
  calls: number;
  inferredCalls: number;
  unwoundCalls: number;
  selfNs: number;
  inferredNs: number;
  completeNs: number;
  minNs: number; // Infinity if no call is complete
  maxNs: number; // -Infinity likewise
  longestCutNs: number; // 0 likewise, for the inferred calls
}

/** How a call ended. */
export interface CallSpan {
  readonly ns: number;
  /** For how long it certainly lasted if its start or end was not seen; null: it is complete. */
  readonly knownNs: number | null;
  /** An exception or a longjmp ended it. */
  readonly isUnwound: boolean;
}

/** `path`: its functions, one per line. */
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

/** The rows with calls or time, in a fixed order. */
export function used(rows: ReadonlyMap<string, PathRow>): [string, PathRow][] {
  return [...rows].filter(([, { calls, selfNs }]) => calls > 0 || selfNs > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}
