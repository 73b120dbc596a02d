/**
 * Gives symbols without a size an end, and keeps one symbol per start.
 */
import { NONE } from '../../model/units.js';
import type { OrderedRows } from './ordered-rows.js';
import { Binding, type SymbolRows } from './symbol-rows.js';

const PAGE_BYTES = 4096;

/** A symbol without a size ends at the next start; the last one at the end of the page after its own. */
export function setEnds({ start, end }: SymbolRows, order: OrderedRows): void {
  let last = NONE;
  for (let row = order.first(); row !== NONE; row = order.next(row)) {
    if (last !== NONE && end[last] === start[last]) end[last] = start[row];
    last = row;
  }
  if (last !== NONE && end[last] === start[last])
    end[last] = Math.ceil(start[last] / PAGE_BYTES) * PAGE_BYTES + PAGE_BYTES;
}

/** Keeps the better one of each two symbols with one start. */
export function dropAliases(rows: SymbolRows, order: OrderedRows): void {
  let kept = order.first();
  while (kept !== NONE) {
    const next = order.next(kept);
    if (next === NONE || rows.start[next] !== rows.start[kept]) {
      kept = next;
      continue;
    }
    const best = betterOf(rows, kept, next);
    order.remove(best === kept ? next : kept);
    kept = best;
  }
}

function betterOf(rows: SymbolRows, first: number, second: number): number {
  const { start, end, binding } = rows;
  const isBetter =
    compare(end[first] > start[first], end[second] > start[second]) ||
    compare(binding[first] !== Binding.Weak, binding[second] !== Binding.Weak) ||
    compare(binding[first] === Binding.Global, binding[second] === Binding.Global) ||
    (rows.hasSameName(first, second) || !rows.mayCompare ? 0 : compareNames(rows.nameOf(first), rows.nameOf(second)));
  return isBetter >= 0 ? first : second;
}

/** Positive if the first is better. */
function compare(first: boolean, second: boolean): number {
  return Number(first) - Number(second);
}

/** Prefers fewer leading underscores, then the longer name. */
function compareNames(first: string, second: string): number {
  return underscoresOf(second) - underscoresOf(first) || first.length - second.length;
}

function underscoresOf(name: string): number {
  let count = 0;
  while (name[count] === '_') count++;
  return count;
}
