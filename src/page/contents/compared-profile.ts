/**
 * Joins two recordings into one profile of two threads, so that a page shows them: all of one, and all of the other.
 */
import { isStop } from '../../analysis/tree/outside.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { type FunctionDurations, mergeDurations } from '../../model/calls/durations.js';
import { orderedDurations } from '../../model/profile/file-order.js';
import type { Profile, ThreadProfile } from '../../model/profile/profile.js';
import {
  dsoOf,
  lineOf,
  SpecialSymbol,
  type SymbolTable,
  SymbolTableBuilder,
  symbolLines,
  UNKNOWN_NAME,
} from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import type { Comparison } from '../../render/diff/comparison.js';

/** Functions match by name, as in the comparison. */
export function profileOfBoth({ before, after, names, profiles }: Comparison): Profile {
  const { symbols, rowOf } = symbolsOfBoth(names, profiles);
  const thread = (tid: number, side: 'before' | 'after', tree: CallTree): ThreadProfile => {
    const { meta, quality } = profiles[side];
    return {
      ...{ tid, pid: null, comm: side, startNs: meta.startNs, endNs: meta.endNs, hiddenNs: quality.hiddenNs },
      tree: { ...tree, symbol: tree.symbol.map((row) => (row === NONE ? NONE : rowOf[row])) },
      durations: durationsByName(profiles[side], names, rowOf, side),
    };
  };
  const { meta, quality } = profiles.after;
  const hasSwitches = profiles.before.meta.hasSwitches === false ? false : meta.hasSwitches;
  return {
    ...{ meta: { ...meta, hasSwitches }, symbols, quality },
    threads: [thread(0, 'before', before), thread(1, 'after', after)],
    together: null,
    durations: null,
  };
}

type Names = Comparison['names'];

/** `rowOf`: the symbol of each name. Where a function is in a file, is that after; or before, if it is gone. */
function symbolsOfBoth(names: Names, profiles: Comparison['profiles']) {
  const builder = new SymbolTableBuilder();
  const known = names.map(({ before, after }) =>
    after === NONE ? { of: profiles.before.symbols, symbol: before } : { of: profiles.after.symbols, symbol: after },
  );
  const rowOf = Int32Array.from(known, ({ of, symbol }) => {
    const name = of.name[symbol] as string;
    if (isStop(symbol)) return symbol;
    return name === UNKNOWN_NAME ? SpecialSymbol.Unknown : builder.intern(name, dsoOf(of, symbol), of.kind[symbol]);
  });
  const table = builder.build();
  const lines = new Array<ReturnType<typeof lineOf>>(table.length).fill(null);
  for (const [row, { of, symbol }] of known.entries()) lines[rowOf[row] as number] = lineOf(of, symbol);
  const symbols: SymbolTable = { ...table, lines: symbolLines(lines) };
  return { symbols, rowOf };
}

/** Of a name that several functions of a recording have, durations are not known, as in the answer of `ptflame diff`. */
function durationsByName(
  { together, durations, threads, symbols }: Profile,
  names: Names,
  rowOf: Int32Array,
  side: 'before' | 'after',
): FunctionDurations | null {
  const known = together === null ? mergeDurations(threads) : durations;
  if (known === null) return null;
  const trees = together === null ? threads.map(({ tree }) => tree) : [together];
  const symbolsOf = new Map<string, Set<SymbolId>>();
  const keyOf = (symbol: SymbolId) => `${isStop(symbol)} ${symbols.name[symbol]}`;
  for (const { symbol } of trees)
    for (const own of new Set(symbol)) {
      const all = symbolsOf.get(keyOf(own)) ?? new Set();
      symbolsOf.set(keyOf(own), all.add(own));
    }
  const newId = new Int32Array(symbols.length).fill(NONE);
  for (const [row, { [side]: symbol }] of names.entries())
    if (symbol !== NONE && symbolsOf.get(keyOf(symbol))?.size === 1) newId[symbol] = rowOf[row] as number;
  const kept = Int32Array.from(known.symbol.keys()).filter((row) => newId[known.symbol[row] as number] !== NONE);
  return orderedDurations(
    {
      length: kept.length,
      symbol: kept.map((row) => known.symbol[row] as number),
      bucket: kept.map((row) => known.bucket[row] as number),
      calls: Float64Array.from(kept, (row) => known.calls[row] as number),
    },
    newId,
  );
}
