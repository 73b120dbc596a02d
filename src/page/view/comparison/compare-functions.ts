/**
 * Adds to the functions in view what they weigh in other threads; functions that only those have follow as rows of zeros.
 */
import type { FunctionSums } from '../../../analysis/tree/functions.js';
import type { FunctionRow, FunctionRows } from '../function-rows.js';

export function compareFunctions(here: FunctionRows, there: readonly FunctionRow[]): FunctionRows {
  const others = new Map(there.map((row) => [row.sums.symbol, row]));
  const rows = here.rows.map((row) => ({ ...row, otherWeight: others.get(row.sums.symbol)?.weight ?? 0 }));
  for (const { sums } of here.rows) others.delete(sums.symbol);
  const onlyThere = [...others.values()].map(({ sums: { symbol }, weight }) => {
    return { sums: { symbol, ...NOTHING }, weight: 0, selfWeight: 0, otherWeight: weight };
  });
  return { ...here, rows: [...rows, ...onlyThere] };
}

const NONE_KNOWN = Number.NaN;
const NOTHING: Omit<FunctionSums, 'symbol'> = {
  ...{ calls: 0, inferred: 0, unwound: 0, completeNs: 0 },
  ...{ totalNs: 0, selfNs: 0, outsideNs: 0, outsideSelfNs: 0, onCpuNs: 0, offCpuNs: 0, inferredNs: 0 },
  ...{ avgNs: NONE_KNOWN, minNs: NONE_KNOWN, maxNs: NONE_KNOWN, longestCutNs: NONE_KNOWN },
  ...{ p50Ns: NONE_KNOWN, p90Ns: NONE_KNOWN, p99Ns: NONE_KNOWN },
};
