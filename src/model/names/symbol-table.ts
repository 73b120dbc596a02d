/**
 * The table of symbols: name, file if perf printed it, and kind.
 */
import { NONE, type SymbolId } from '../units.js';

export const SymbolKind = { Function: 0, Unknown: 1, Synthetic: 2 } as const;
export type SymbolKind = (typeof SymbolKind)[keyof typeof SymbolKind];

/** The first rows of every table: where a thread's time goes when no traced function runs. */
export const SpecialSymbol = {
  Unknown: 0, // a function without a name
  Syscall: 1, // in a system call
  Untraced: 2, // any other stop of the trace
  OffCpu: 3, // not running, because it waits
  Preempted: 4, // not running, although it could
  Lost: 5, // unknown
} as const;
export type SpecialSymbol = (typeof SpecialSymbol)[keyof typeof SpecialSymbol];

/** What perf prints instead of a symbol that it cannot find. */
export const UNKNOWN_NAME = '[unknown]';

const SPECIAL_NAMES = [UNKNOWN_NAME, '[syscall]', '[untraced]', '[off-cpu]', '[preempted]', '[lost]'] as const;

export interface SymbolTable {
  readonly length: number;
  readonly name: readonly string[];
  readonly kind: readonly SymbolKind[];
  readonly dso: readonly number[]; // row of dsoName | NONE
  readonly dsoName: readonly string[]; // binaries
}

export class SymbolTableBuilder {
  private readonly name: string[] = [...SPECIAL_NAMES];
  private readonly kind: SymbolKind[] = SPECIAL_NAMES.map((_, row) =>
    row === SpecialSymbol.Unknown ? SymbolKind.Unknown : SymbolKind.Synthetic,
  );
  private readonly dso: number[] = SPECIAL_NAMES.map(() => NONE);
  private readonly dsoName: string[] = [];
  private readonly dsoRow = new Map<string, number>();
  /** By dso (NONE if not printed), then by name. */
  private readonly rows = new Map<number, Map<string, SymbolId>>();

  /** Returns the row of a function's name; `dso` is null if not printed. `[unknown]` may have a row for each file. */
  intern(
    name: string,
    dso: string | null,
    kind: SymbolKind = name === UNKNOWN_NAME ? SymbolKind.Unknown : SymbolKind.Function,
  ): SymbolId {
    const dsoRow = dso === null ? NONE : this.internDso(dso);
    let byName = this.rows.get(dsoRow);
    if (byName === undefined) this.rows.set(dsoRow, (byName = new Map()));
    let row = byName.get(name);
    if (row === undefined) {
      row = this.name.push(name) - 1;
      this.kind.push(kind);
      this.dso.push(dsoRow);
      byName.set(name, row);
    }
    return row;
  }

  build(): SymbolTable {
    return {
      length: this.name.length,
      name: this.name,
      kind: this.kind,
      dso: this.dso,
      dsoName: this.dsoName,
    };
  }

  private internDso(dso: string): number {
    let row = this.dsoRow.get(dso);
    if (row === undefined) this.dsoRow.set(dso, (row = this.dsoName.push(dso) - 1));
    return row;
  }
}

/**
 * Returns a copy of the table with more names, and the rows of these: existing rows where the table already has them.
 */
export function withSymbols(
  { name, kind, dso, dsoName }: SymbolTable,
  added: readonly { readonly name: string; readonly dso: string | null }[],
  addedKind: SymbolKind,
): { readonly table: SymbolTable; readonly rows: readonly SymbolId[] } {
  const names = [...name];
  const kinds = [...kind];
  const dsos = [...dso];
  const files = [...dsoName];
  const fileRows = new Map(files.map((file, row) => [file, row]));
  const wanted = new Set(added.map((symbol) => symbol.name));
  const rowOf = new Map<string, SymbolId>();
  for (let row = SPECIAL_NAMES.length; row < names.length; row++)
    if (wanted.has(names[row] as string)) rowOf.set(`${dsos[row]} ${names[row]}`, row);
  const rows = added.map(({ name, dso }) => {
    const file = dso === null ? NONE : (fileRows.get(dso) ?? files.push(dso) - 1);
    if (dso !== null) fileRows.set(dso, file);
    const key = `${file} ${name}`;
    const row = rowOf.get(key) ?? names.push(name) - 1;
    if (row === kinds.length) {
      rowOf.set(key, row);
      kinds.push(addedKind);
      dsos.push(file);
    }
    return row;
  });
  return { table: { length: names.length, name: names, kind: kinds, dso: dsos, dsoName: files }, rows };
}
