/**
 * Lists the functions of both sides of a comparison.
 */
import { scaled } from '../../analysis/compare.js';
import type { FunctionSums } from '../../analysis/tree/functions.js';
import { eachPercentile } from '../../model/percentiles.js';
import type { SymbolId } from '../../model/units.js';
import { compareRows, type SideRow, type Sides } from './comparison.js';
import { once } from './memoize-last.js';
import type { FunctionRow, FunctionRows, View } from './view.js';

interface SideRows extends FunctionRows {
  readonly view: View;
}

/** Returns the functions of both sides. `hasNoise`: weights are times of all calls. */
export function compareFunctions(
  before: SideRows,
  after: SideRows,
  { scales }: Sides,
  hasNoise: boolean,
): FunctionRows {
  const bySymbol = ({ rows }: SideRows) => new Map(rows.map((row) => [row.sums.symbol, row]));
  const [old, now] = [bySymbol(before), bySymbol(after)];
  const rows = [...new Set([...now.keys(), ...old.keys()])].map((symbol): FunctionRow => {
    const compared = once(() =>
      compareRows(
        sideRow(symbol, old.get(symbol), before.view, scales.before),
        sideRow(symbol, now.get(symbol), after.view, scales.after),
        hasNoise,
      ),
    );
    const { sums, weight, selfWeight } = now.get(symbol) ?? nothingOf(symbol);
    return {
      ...{ sums, weight: scaled(weight, scales.after), selfWeight: scaled(selfWeight, scales.after) },
      get compared() {
        return compared();
      },
    };
  });
  return { rows, totalWeight: scaled(after.totalWeight, scales.after) };
}

/** Returns all functions of a view, by time. */
export function timedRows(view: View): SideRows {
  const rows = [...view.functions().values()].map((sums) => {
    return { sums, weight: sums.totalNs, selfWeight: sums.selfNs };
  });
  return { view, rows, totalWeight: view.allNs() };
}

function sideRow(symbol: SymbolId, row: FunctionRow | undefined, view: View, scale: number): SideRow {
  const isThere = row !== undefined || view.functions().has(symbol);
  return { ...(row ?? nothingOf(symbol)), isThere, histogram: view.histogram(symbol), scale };
}

/** What a side has of a function that it lacks. */
export function nothingOf(symbol: SymbolId): FunctionRow {
  return { sums: { symbol, ...NOTHING }, weight: 0, selfWeight: 0 };
}

const NONE_KNOWN = Number.NaN;
const NOTHING: Omit<FunctionSums, 'symbol'> = {
  ...{ calls: 0, inferred: 0, unwound: 0, completeNs: 0 },
  ...{ totalNs: 0, selfNs: 0, outsideNs: 0, outsideSelfNs: 0, onCpuNs: 0, offCpuNs: 0, inferredNs: 0 },
  ...{ avgNs: NONE_KNOWN, minNs: NONE_KNOWN, maxNs: NONE_KNOWN, longestCutNs: NONE_KNOWN },
  ...eachPercentile(() => NONE_KNOWN),
};
