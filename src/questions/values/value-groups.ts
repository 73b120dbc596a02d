/**
 * Groups samples by a key.
 */

export interface SampleGroup {
  readonly key: number;
  readonly rows: Uint32Array;
}

/** Most samples first; ties by the first sample. */
export function groupsOf(rows: Uint32Array, keyOf: (row: number) => number): SampleGroup[] {
  const groups = new Map<number, number[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const own = groups.get(key);
    if (own) own.push(row);
    else groups.set(key, [row]);
  }
  const found = [...groups].map(([key, own]) => ({ key, rows: Uint32Array.from(own) }));
  return found.sort((a, b) => b.rows.length - a.rows.length || a.rows[0] - b.rows[0]);
}
