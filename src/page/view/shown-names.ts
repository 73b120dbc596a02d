/**
 * Names what is no function as the page shows it: `[off-cpu]` is "off CPU". Exported files have the names with brackets;
 * searches and links know both.
 */
import { SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
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
