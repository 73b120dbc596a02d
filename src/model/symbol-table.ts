/**
 * The table of symbols: name, file if perf printed it, and kind; how they are ordered, and what the names of files tell.
 */
import { NONE, type SymbolId } from './units.js';

/** `Inlined`: a function where compilers put its code in place of calls. */
export const SymbolKind = { Function: 0, Unknown: 1, Synthetic: 2, Inlined: 3 } as const;
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

/** Ends the names of symbols of the kind `Inlined`, as perf prints them. */
export const INLINED_SUFFIX = ' (inlined)';

/** What perf prints instead of a symbol that it cannot find. */
export const UNKNOWN_NAME = '[unknown]';
/** What a thread did outside of all calls that probes show. */
export const NOT_PROBED = '[not probed]';

const SPECIAL_NAMES = [UNKNOWN_NAME, '[syscall]', '[untraced]', '[off-cpu]', '[preempted]', '[lost]'] as const;

export interface SymbolTable {
  readonly length: number;
  readonly name: readonly string[];
  readonly kind: readonly SymbolKind[];
  readonly dso: readonly number[]; // row of dsoName | NONE
  readonly dsoName: readonly string[]; // binaries
  /** Absent: not requested, or no binary has lines. */
  readonly lines?: SymbolLines | undefined;
}

/** Where functions begin in source code, by row of the symbol table. */
export interface SymbolLines {
  readonly file: readonly number[]; // row of fileName | NONE
  readonly line: readonly number[]; // from 1; 0 without a file
  readonly fileName: readonly string[];
}

export interface SourceLine {
  /** As the compiler was given it, with the directory in which it ran, if relative. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Returns where a function begins in source code; null: unknown. */
export function lineOf({ lines }: Pick<SymbolTable, 'lines'>, symbol: SymbolId): SourceLine | null {
  const file = lines?.fileName[lines.file[symbol] ?? NONE];
  return lines === undefined || file === undefined ? null : { file, line: lines.line[symbol] };
}

/** Makes columns of lines; files are ordered by name. undefined: all are unknown. */
export function symbolLines(lines: readonly (SourceLine | null)[]): SymbolLines | undefined {
  const fileName = [...new Set(lines.flatMap((at) => at?.file ?? []))].sort(compareUtf8);
  const rows = new Map(fileName.map((name, row) => [name, row]));
  if (fileName.length === 0) return undefined;
  return {
    file: lines.map((at) => (at && rows.get(at.file)) ?? NONE),
    line: lines.map((at) => at?.line ?? 0),
    fileName,
  };
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
  { name, kind, dso, dsoName, lines }: SymbolTable,
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
  const table = { length: names.length, name: names, kind: kinds, dso: dsos, dsoName: files };
  return { table: lines ? { ...table, lines } : table, rows };
}

interface Named {
  readonly name: string;
  readonly dso: string | null;
}

// Distinguishes functions with the same name in different files.

/** Returns the suffix of each name: ` (libz.so.1)` if another file has a function of that name, otherwise empty. */
export function filesBehindNames(functions: readonly Named[]): string[] {
  const filesOf = new Map<string, Set<string | null>>();
  for (const { name, dso } of functions) {
    const files = filesOf.get(name);
    if (files === undefined) filesOf.set(name, new Set([dso]));
    else files.add(dso);
  }
  return functions.map(({ name, dso }) => {
    const files = filesOf.get(name) as ReadonlySet<string | null>;
    if (dso === null || files.size === 1) return '';
    const short = shortFileName(dso);
    const isClear = [...files].every((file) => file === dso || file === null || shortFileName(file) !== short);
    return ` (${isClear ? short : dso})`;
  });
}

// Orders symbols by name, then by file name, because ids depend on the order of reading.

/** Symbols without a file precede those with one; NONE precedes all. */
export function compareSymbols(symbols: SymbolTable, a: SymbolId, b: SymbolId): number {
  if (a === b || a === NONE || b === NONE) return a === b ? 0 : a === NONE ? -1 : 1;
  return compareUtf8(symbols.name[a] as string, symbols.name[b] as string) || compareFiles(symbols, a, b);
}

function compareFiles(symbols: SymbolTable, a: SymbolId, b: SymbolId): number {
  const [dsoA, dsoB] = [dsoOf(symbols, a), dsoOf(symbols, b)];
  return Number(dsoA !== null) - Number(dsoB !== null) || compareUtf8(dsoA ?? '', dsoB ?? '');
}

/** Returns the rank of each symbol. */
export const symbolRanks = /* @__PURE__ */ oncePerTable((symbols): Int32Array => {
  const order = symbols.name.map((_, row): SymbolId => row).sort((a, b) => compareSymbols(symbols, a, b));
  return inverse(order);
});

/** Returns a function that finds something out once for each table, which many threads share. */
export function oncePerTable<Found extends object>(
  findOut: (symbols: SymbolTable) => Found,
): (symbols: SymbolTable) => Found {
  const known = new WeakMap<SymbolTable, Found>();
  return (symbols) => {
    let found = known.get(symbols);
    if (found === undefined) known.set(symbols, (found = findOut(symbols)));
    return found;
  };
}

/** Returns the position of each number in an order. */
export function inverse(order: ArrayLike<number>): Int32Array {
  const positions = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) positions[order[at]] = at;
  return positions;
}

/** Returns the file of a symbol; null if unknown. */
export function dsoOf({ dso, dsoName }: SymbolTable, row: SymbolId): string | null {
  const file = dso[row];
  return file === NONE ? null : (dsoName[file] ?? null); // a row before the first one is slow to look for
}

// Orders names by their UTF-8 bytes, like `LC_ALL=C sort`.

/** Unlike JavaScript's own order, which puts characters beyond U+FFFF (two units) before those from U+E000 on. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Different units have different ranks, so different texts never compare equal, even with lone surrogates. */
function rankOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x10000 : unit;
}

// Classifies memory mappings by the names that the kernel and perf give them.

/**
 * Where code is: in a file; in the kernel or one of its modules; generated, in memory that belongs to no file, by a JIT compiler;
 * unmapped, where no mapping is known.
 */
type CodeHome = 'file' | 'kernel' | 'generated' | 'unmapped';

const IS_MADE_AT_RUN_TIME =
  /^(?:\/\/anon|\/anon_hugepage|\/dev\/zero|\/dev\/shm\/|\/SYSV|\/memfd:|anon_inode:|\[heap|\[stack|\[anon|\/tmp\/perf-\d+\.map$)/;
/** The kernel, its modules and the vdso have no path. */
const IS_BRACKETED = /^\[(.*)\](?:_text)?$/;

/** Stands for a mapping of the kernel that is not known: of a module that was loaded later, or of code that it generated. */
export const UNMAPPED_KERNEL = '[kernel]';

/** Returns where the code of a mapping is; null: no mapping is known. */
export function homeOfCode(file: string | null): CodeHome {
  if (file === null || file === UNKNOWN_NAME) return 'unmapped';
  if (isMadeAtRunTime(file)) return 'generated';
  return bracketedName(file) === null || IS_OF_PROCESS.test(file) ? 'file' : 'kernel';
}

/** The kernel maps these files of its own into each process. */
const IS_OF_PROCESS = /^\[(?:vdso|vvar|vsyscall|uprobes)/;

/** Returns whether memory is not backed by a file: anonymous, heap, stack, or described by a perf map. */
export function isMadeAtRunTime(file: string): boolean {
  return IS_MADE_AT_RUN_TIME.test(file);
}

/** Returns the name in the brackets of memory without a path, like `[vdso]`; otherwise null. */
export function bracketedName(file: string): string | null {
  return IS_BRACKETED.exec(file)?.[1] ?? null;
}

/** perf's name for the kernel itself, also for that of a guest. */
const IS_KERNEL = /^((?:guest\.)?kernel)(?:\.kallsyms|$)/;

/**
 * Returns `liblzma.so.5.4.1` for `/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1 (deleted)`, `vdso` for `[vdso]`, `kernel` for
 * `[kernel.kallsyms]`. Modules of the kernel keep their brackets: `[virtio_net]`.
 */
export function shortFileName(file: string): string {
  const name = bracketedName(file);
  if (name === null) return file.slice(file.lastIndexOf('/') + 1).replace(/ \(deleted\)$/, '');
  return homeOfCode(file) === 'kernel' ? (IS_KERNEL.exec(name)?.[1] ?? `[${name}]`) : name;
}
