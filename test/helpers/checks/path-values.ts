/**
 * What files for other tools must show: the values of each call path of each thread, read from the trees alone.
 */

import type { Profile } from '../../../src/index.js';
import { SpecialSymbol } from '../../../src/model/symbol-table.js';
import { visibleText } from '../../../src/render/visible-text.js';

/** Calls, wall, on-CPU, off-CPU and outside time, inferred calls; in the order of pprof's sample types. */
export type Values = readonly number[];

/** By thread and path: "TID", then names from the outermost function inwards, each on a line. */
export type PathValues = ReadonlyMap<string, Values>;

const { Syscall, Lost, OffCpu, Preempted } = SpecialSymbol;

/** Paths without any value are absent. */
export function pathValuesOf({ meta, symbols, threads }: Profile): PathValues {
  const hasSwitches =
    meta.hasSwitches ?? threads.some(({ tree }) => tree.symbol.some((own) => own === OffCpu || own === Preempted));
  const rows = threads.flatMap(({ tid, tree }) => {
    const keys = [String(tid)];
    return [...tree.parent].slice(1).map((parent, row) => {
      const node = row + 1;
      const symbol = tree.symbol[node];
      keys[node] = `${keys[parent]}\n${visibleText(symbols.name[symbol] as string)}`;
      const ns = tree.selfNs[node];
      const isStop = symbol >= Syscall && symbol <= Lost;
      const isOff = symbol === OffCpu || symbol === Preempted;
      const isOn = hasSwitches ? !isOff && symbol !== Lost : !isStop;
      const times = [ns, isOn ? ns : 0, isOff ? ns : 0, isStop ? ns : 0];
      return [keys[node], [tree.calls[node], ...times, tree.inferredCalls[node]]] as const;
    });
  });
  return sumsOf(rows);
}

/** Adds up rows with the same key, as functions of one name in two files have, and leaves out those without values. */
export function sumsOf(rows: Iterable<readonly [string, Values]>): PathValues {
  const sums = new Map<string, Values>();
  for (const [key, values] of rows) {
    const sum = sums.get(key) ?? values.map(() => 0);
    if (values.some((value) => value !== 0))
      sums.set(
        key,
        sum.map((value, at) => value + (values[at] as number)),
      );
  }
  return sums;
}

/** The values of all threads by path alone, as in folded stacks: "a;b;c". */
export function foldedValues(paths: PathValues, column: number): ReadonlyMap<string, number> {
  const folded = new Map<string, number>();
  for (const [key, values] of paths) {
    const path = key.split('\n').slice(1).join(';');
    folded.set(path, (folded.get(path) ?? 0) + (values[column] as number));
  }
  return folded;
}
