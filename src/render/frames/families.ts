/**
 * Classifies frames into families. Each family has its own colour, legend entry and name in the file.
 */
import { SpecialSymbol, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';

/** In the order of the legend. */
export const FAMILIES = [
  'user',
  'kernel',
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
  const file = symbols.dsoName[symbols.dso[symbol] as number];
  return file !== undefined && KERNEL_FILE.test(file) ? 'kernel' : 'user';
}

/** Shades of user functions: a function has the same shade in every flame graph. */
export const SHADES = 12;

export function shadeOf(name: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % SHADES;
}

/** Returns the CSS class of a frame. */
export function classOf(family: Family, name: string): string {
  switch (family) {
    case 'user':
      return `u${shadeOf(name)}`;
    case 'kernel':
      return `k${shadeOf(name) % KERNEL_SHADES}`;
    case 'wait':
      return 'group';
    default:
      return family;
  }
}

const KERNEL_SHADES = 4;
