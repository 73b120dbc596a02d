/**
 * Names what is no function as the page shows it: `[off-cpu]` is "off CPU". Exported files have the names with brackets;
 * searches and links know both.
 */
import { dsoOf, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import type { SymbolId } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';

export interface ShownNames {
  /** By symbol. */
  readonly names: readonly string[];
  /** The symbols whose names are others than in files. */
  readonly renamed: readonly SymbolId[];
}

export function shownNames({ name, kind }: Pick<SymbolTable, 'name' | 'kind'>): ShownNames {
  const names = name.map(visibleText);
  const renamed: SymbolId[] = [];
  for (const [symbol, recorded] of names.entries()) {
    if (kind[symbol] !== SymbolKind.Synthetic) continue;
    names[symbol] = shownName(recorded);
    if (names[symbol] !== recorded) renamed.push(symbol);
  }
  return { names, renamed };
}

const SHOWN: Readonly<Record<string, string>> = {
  '[syscall]': 'system call',
  '[untraced]': 'untraced',
  '[off-cpu]': 'off CPU',
  '[preempted]': 'preempted',
  '[lost]': 'lost',
  '-- waits for [interrupt]': 'waits for a timer or device',
};

/** Others say whom a thread waited for: `-- waits for bob`. */
export function shownName(recorded: string): string {
  return SHOWN[recorded] ?? recorded.replace(/^-- /, '');
}

/** Finds a function by its name and file; undefined: the page has none. */
export function symbolsByName(symbols: SymbolTable): (name: string, dso: string | null) => SymbolId | undefined {
  const keyOf = (name: string, dso: string | null) => `${name}\0${dso ?? ''}`;
  const found = new Map(symbols.name.map((name, symbol) => [keyOf(name, dsoOf(symbols, symbol)), symbol]));
  return (name, dso) => found.get(keyOf(name, dso));
}
