/**
 * The categories of frames in Firefox Profiler, which colour its graphs: user code, the kernel, and each kind of stop.
 */
import type { SymbolTable } from '../../model/symbol-table.js';
import type { SymbolId } from '../../model/units.js';
import { type Family, familyOf } from '../../render/frames/colours.js';

/** The profiler requires a grey one, and a first subcategory of this name; it draws no graph for what is transparent. */
const CATEGORIES = [
  { name: 'Other', color: 'grey' },
  { name: 'User', color: 'yellow' },
  { name: 'Kernel', color: 'orange' },
  { name: 'System call', color: 'lightblue' },
  { name: 'Off-CPU', color: 'transparent' },
  { name: 'Preempted', color: 'purple' },
  { name: 'Untraced', color: 'darkgrey' },
  { name: 'Lost', color: 'red' },
] as const;

type CategoryName = (typeof CATEGORIES)[number]['name'];

const CATEGORY_OF: Readonly<Record<Family, CategoryName>> = {
  group: 'Other',
  wait: 'Other',
  user: 'User',
  unknown: 'User',
  kernel: 'Kernel',
  syscall: 'System call',
  'off-cpu': 'Off-CPU',
  preempted: 'Preempted',
  untraced: 'Untraced',
  lost: 'Lost',
};

/** As they are written. */
export const categories: readonly object[] = CATEGORIES.map((category) => ({ ...category, subcategories: ['Other'] }));

export function categoryNumber(wanted: CategoryName): number {
  return CATEGORIES.findIndex(({ name }) => name === wanted);
}

/** Returns the number of a function's category. */
export function categoryOf(symbol: SymbolId, symbols: SymbolTable): number {
  return categoryNumber(CATEGORY_OF[familyOf(symbol, symbols)]);
}
