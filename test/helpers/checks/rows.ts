/**
 * Converts a profile's trees to rows by path, to compare with other rows.
 */
import type { Profile } from '../../../src/index.js';
import type { TruthRow } from '../random/execution.js';

/** Sums all threads. */
export function rowsByPath({ threads, symbols }: Profile): Map<string, TruthRow> {
  const rows = new Map<string, TruthRow>();
  for (const { tree } of threads) {
    const paths = [''];
    for (let node = 1; node < tree.length; node++) {
      const name = symbols.name[tree.symbol[node]];
      const parent = paths[tree.parent[node]];
      const path = parent === '' ? name : `${parent};${name}`;
      paths.push(path);
      const row = rows.get(path) ?? { calls: 0, inferred: 0, selfNs: 0, completeNs: 0 };
      row.calls += tree.calls[node];
      row.inferred += tree.inferredCalls[node];
      row.selfNs += tree.selfNs[node];
      row.completeNs += tree.completeNs[node];
      rows.set(path, row);
    }
  }
  return rows;
}

/** Returns the rows with calls or time, sorted by path. */
export function sorted(rows: ReadonlyMap<string, TruthRow>): [string, TruthRow][] {
  return [...rows].filter(([, { calls, selfNs }]) => calls > 0 || selfNs > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}
