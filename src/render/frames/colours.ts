/**
 * Defines how frames differ between two graphs: kinds, signs, sizes and colours.
 */
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

/** By class. Ink has a contrast of at least 4.5 : 1 on each of them. */
export const CHANGE_COLOURS: Readonly<Record<string, Colour>> = {
  same: { light: '#e3e6eb', dark: '#3a3f47' },
  noise: { light: '#d3d7dd', dark: '#4a5059' },
  more1: { light: '#f9d3c2', dark: '#5c3a2c' },
  more2: { light: '#f3ab8a', dark: '#7d4529' },
  more3: { light: '#ec7f52', dark: '#a14c1c' },
  new: { light: '#ec7f52', dark: '#a14c1c' },
  less1: { light: '#cfdff8', dark: '#2c3f5e' },
  less2: { light: '#9fc0f2', dark: '#2d548c' },
  less3: { light: '#6d9fee', dark: '#2f67b8' },
  gone: { light: '#6d9fee', dark: '#2f67b8' },
};

/** Relative sizes of a change: the larger number is at most this many times the smaller one. */
const FACTORS = [1.1, 2] as const;

/** Returns 1, 2 or 3: how large a change is. */
export function changeLevel(before: number, after: number): number {
  const factor = Math.max(before, after) / Math.min(before, after);
  return 1 + FACTORS.filter((limit) => factor > limit).length;
}

/**
 * Defines all colours for the light and the dark theme. Ink has a contrast of at least 4.5 : 1 on each of them, and each kind of
 * frame at least 3 : 1 to the page. Frames that are not functions are distinguishable with red-green colour blindness, too.
 */
export interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** From coral to straw. */
export const USER: readonly Colour[] = [
  { light: '#eb5f3f', dark: '#964d31' },
  { light: '#e86934', dark: '#965228' },
  { light: '#e57039', dark: '#90582f' },
  { light: '#e8710f', dark: '#8d541b' },
  { light: '#d87331', dark: '#89592f' },
  { light: '#db7b03', dark: '#895c1a' },
  { light: '#d37b0b', dark: '#7f5a2c' },
  { light: '#ce8108', dark: '#7e5e17' },
  { light: '#cc820d', dark: '#7b6230' },
  { light: '#e66652', dark: '#934e3d' },
  { light: '#d97751', dark: '#875841' },
  { light: '#c8850e', dark: '#766424' },
];

export const KERNEL: readonly Colour[] = [
  { light: '#759940', dark: '#4d6a26' },
  { light: '#7f9c43', dark: '#526d23' },
  { light: '#6b9759', dark: '#436b38' },
  { light: '#859b50', dark: '#596b2c' },
];

export const OTHERS: Readonly<Record<Exclude<Family, 'user' | 'kernel' | 'wait'> | 'block' | 'match', Colour>> = {
  group: { light: '#8c939f', dark: '#596270' },
  unknown: { light: '#a08350', dark: '#6a6140' },
  syscall: { light: '#498fba', dark: '#277ba2' },
  'off-cpu': { light: '#5591fd', dark: '#3c70d2' },
  preempted: { light: '#c96cdc', dark: '#7d48ae' },
  untraced: { light: '#779d7f', dark: '#378065' },
  lost: { light: '#7f8893', dark: '#5e616b' },
  block: { light: '#e6e8ec', dark: '#42474e' },
  match: { light: '#f07be8', dark: '#b01fb4' },
};

/** Sequential scale from pale to strong, distinguishable by lightness alone. Ink has a contrast of 4.5 : 1 on each. */
export const SCALE: readonly Colour[] = [
  { light: '#fdf6d8', dark: '#26304a' },
  { light: '#f9e6a8', dark: '#2b3f5e' },
  { light: '#f6d183', dark: '#2d5068' },
  { light: '#f3b96b', dark: '#2c6169' },
  { light: '#ef9f60', dark: '#3a6b5b' },
  { light: '#e8875c', dark: '#5a6d42' },
  { light: '#df7560', dark: '#7d6a2e' },
  { light: '#d4686c', dark: '#96591f' },
];

export const PAGE: Colour = { light: '#ffffff', dark: '#101216' };
export const INK: Colour = { light: '#1c1f25', dark: '#fbfaf7' };
export const QUIET_INK: Colour = { light: '#5b6270', dark: '#a3abb8' };
export const LINE: Colour = { light: '#d5d9e0', dark: '#3d434d' };
export const PANEL: Colour = { light: '#ffffff', dark: '#23272e' };
export const WARNING: Colour = { light: '#8a4b00', dark: '#ffb84d' };
export const WARNING_PAGE: Colour = { light: '#fff3dc', dark: '#3a2c12' };
export const FOCUS: Colour = { light: '#1d4ed8', dark: '#9cc3ff' };

/**
 * Classifies frames into families. Each family has its own colour, legend entry and name in the file.
 *
 * In the order of the legend.
 */
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
const SHADES = 12;

function shadeOf(name: string): number {
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
