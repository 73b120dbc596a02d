/**
 * What files with single calls must show: the self and total time of every function of each thread, from the trees alone.
 */
import type { CallTree, Profile } from '../../../src/index.js';
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import { dsoOf } from '../../../src/model/symbol-table.js';
import { visibleText } from '../../../src/render/visible-text.js';

/** A function of one thread; recursion counts once in the total. */
export interface FunctionTime {
  readonly name: string;
  readonly file: string | null;
  readonly selfNs: number;
  readonly totalNs: number;
}

/** By thread; functions without time are in them. */
export function functionTimesOf({ threads, symbols }: Profile): ReadonlyMap<number, FunctionTime[]> {
  return new Map(threads.map(({ tid, tree }) => [tid, timesOf(tree, symbols)]));
}

/** Returns "NAME (FILE): SELF of TOTAL" for each, sorted. */
export function linesOf(times: readonly FunctionTime[]): string[] {
  return times.map(({ name, file, selfNs, totalNs }) => `${name} (${file}): ${selfNs} of ${totalNs}`).sort();
}

function timesOf({ length, parent, symbol, selfNs }: CallTree, symbols: SymbolTable): FunctionTime[] {
  const [self, total] = [new Map<number, number>(), new Map<number, number>()];
  for (let node = 1; node < length; node++) {
    add(self, symbol[node], selfNs[node]);
    const path = new Set<number>();
    for (let own = node; own > 0; own = parent[own]) path.add(symbol[own]);
    for (const own of path) add(total, own, selfNs[node]);
  }
  return [...total].map(([row, totalNs]) => {
    const name = visibleText(symbols.name[row] as string);
    return { name, file: dsoOf(symbols, row), selfNs: self.get(row) as number, totalNs };
  });
}

function add(sums: Map<number, number>, key: number, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
