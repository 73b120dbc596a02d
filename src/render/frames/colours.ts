/**
 * Defines how frames differ between two graphs: kinds, signs and sizes.
 */
import { kernelEntryOf } from '../../model/kernel-code.js';
import { SpecialSymbol, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';

/** `new` is only in the second graph, `gone` only in the first. */
export const CHANGES = ['same', 'noise', 'more', 'less', 'new', 'gone'] as const;
export type Change = (typeof CHANGES)[number];

export const CHANGE_SIGNS: Readonly<Record<Change, string>> = {
  same: '=',
  noise: '≈',
  more: '▲',
  less: '▼',
  new: '✚',
  gone: '✕',
};

/** Relative sizes of a change: the larger number is at most this many times the smaller one. */
const FACTORS = [1.1, 2] as const;

/** Returns 1, 2 or 3: how large a change is. */
export function changeLevel(before: number, after: number): number {
  const factor = Math.max(before, after) / Math.min(before, after);
  return 1 + FACTORS.filter((limit) => factor > limit).length;
}

/**
 * Classifies frames into families. Each family has its own colour, legend entry and name in the file.
 *
 * In the order of the legend.
 */
export const FAMILIES = [
  'user',
  'kernel',
  'entry',
  'group',
  'wait',
  'unknown',
  'syscall',
  'off-cpu',
  'preempted',
  'untraced',
  'lost',
] as const;
export type Family = (typeof FAMILIES)[number];

/** Others say whom a thread waited for, such as `-- waits for bob`. */
const SPECIAL: Readonly<Partial<Record<SymbolId, Family>>> = {
  [SpecialSymbol.Syscall]: 'syscall',
  [SpecialSymbol.Untraced]: 'untraced',
  [SpecialSymbol.OffCpu]: 'off-cpu',
  [SpecialSymbol.Preempted]: 'preempted',
  [SpecialSymbol.Lost]: 'lost',
};

/** Whether frames of a family are time outside traced code, not functions. */
export function isStop(family: Family): boolean {
  return FAMILIES.indexOf(family) > FAMILIES.indexOf('unknown');
}

/** perf's names for the kernel and its modules: "[kernel.kallsyms]", "[nf_tables]". "[vdso]" is user code. */
const KERNEL_FILE = /^\[(?!vdso|vsyscall|heap|stack|anon|unknown)/;

export function familyOf(symbol: SymbolId, symbols: SymbolTable): Family {
  if (symbol === NONE) return 'group';
  if (symbols.kind[symbol] === SymbolKind.Unknown) return 'unknown';
  if (symbols.kind[symbol] === SymbolKind.Synthetic) return SPECIAL[symbol] ?? 'wait';
  if (kernelEntryOf(symbols, symbol) !== null) return 'entry';
  const file = symbols.dsoName[symbols.dso[symbol] as number];
  return file !== undefined && KERNEL_FILE.test(file) ? 'kernel' : 'user';
}

/** Colours of functions, and shades of each. */
const FUNCTION_COLOURS = 4;
export const SHADES = 5;

/** A function has the same shade in every flame graph. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The libraries after these share a colour. */
export const LIBRARY_COLOURS = 6;

/** Returns the CSS class of a library, without its shade. `library`: its place in the order of libraries; NONE: not recorded. */
export function libraryClass(library: number): string {
  return library === NONE ? 'ln' : library < LIBRARY_COLOURS ? `l${library + 1}` : 'lo';
}

/** Returns the CSS class of a frame. `library`: as above; null: colours show functions. */
export function classOf(family: Family, name: string, library: number | null = null): string {
  if (isStop(family)) return family;
  if (family === 'group' || family === 'wait') return 'group';
  if (family === 'entry') return 'entry';
  const hash = hashOf(name);
  const colour = library === null ? `f${hash % FUNCTION_COLOURS}` : libraryClass(library);
  return `${colour}${Math.floor(hash / FUNCTION_COLOURS) % SHADES}`;
}
