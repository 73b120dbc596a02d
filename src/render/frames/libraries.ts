/**
 * Orders the files that functions are in, so that each has the same colour in every page and picture of a program: whatever is
 * measured or selected, the executable is first, then the C library, then the others by name.
 */
import {
  compareUtf8,
  dsoOf,
  SymbolKind,
  type SymbolTable,
  shortFileName,
  UNKNOWN_NAME,
} from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';

export interface Libraries {
  /** As recorded, in the order of their colours. */
  readonly files: readonly string[];
  /** By symbol or name: an index into `files`; NONE: not recorded. */
  readonly of: readonly number[];
}

export const NO_LIBRARIES: Libraries = { files: [], of: [] };

/** What has an address to start at: the program itself. */
const ENTRIES: ReadonlySet<string> = new Set(['main', '_start', 'main.main', 'runtime.main']);

/** Names of shared objects: `libz.so`, `libz.so.1.2`, `libz-1.2.so`; of modules of the kernel; of code that no file has. */
const SHARED_OBJECT = /\.(so(\.[\w.]+)?|ko(\.\w+)?|map|jar|dylib|dll)$/;

/** Of glibc, of musl (its loader is its library, too), of Android. */
const C_LIBRARY = /^(libc(-[\d.]+)?\.so(\.\d+)*|libc\.musl-.+\.so(\.\d+)*|ld-musl-.+\.so(\.\d+)*)$/;

/** Functions of the kernel and of anonymous memory have such names instead of a file: "[kernel.kallsyms]", "//anon". */
const NO_PROGRAM = /^\[|^\/\/|^anon_inode:|^\/memfd:|^\/dev\//;

/** Whether a file is a program by its name. */
export function isProgram(file: string): boolean {
  return !NO_PROGRAM.test(file) && !SHARED_OBJECT.test(shortFileName(file));
}

export function isCLibrary(file: string): boolean {
  return C_LIBRARY.test(shortFileName(file));
}

/** Returns the libraries by symbol. The executable: of several programs one that has an entry, and of these the first by name. */
export function librariesOf(symbols: SymbolTable): Libraries {
  const entered = new Set<string>();
  const found = symbols.name.map((name, symbol) => {
    const file = symbols.kind[symbol] === SymbolKind.Synthetic ? null : dsoOf(symbols, symbol);
    if (file !== null && ENTRIES.has(name)) entered.add(file);
    return file === UNKNOWN_NAME ? null : file;
  });
  const rank = (file: string) => (isProgram(file) ? (entered.has(file) ? 0 : 1) : 2);
  const byName = [...new Set(found.filter((file) => file !== null))].sort(compareFiles);
  const [executable] = byName.filter(isProgram).sort((a, b) => rank(a) - rank(b) || compareFiles(a, b));
  const place = (file: string) => (file === executable ? 0 : isCLibrary(file) ? 1 : 2);
  const files = byName.sort((a, b) => place(a) - place(b) || compareFiles(a, b));
  const index = new Map(files.map((file, at) => [file, at]));
  return { files, of: found.map((file) => (file === null ? NONE : (index.get(file) as number))) };
}

/** By name, not by directory: these differ between machines. */
function compareFiles(a: string, b: string): number {
  return compareUtf8(shortFileName(a), shortFileName(b)) || compareUtf8(a, b);
}

/** Returns "libc" for "/usr/lib/libc.so.6", or the name with its version or directory if another library has it, too. */
export function libraryNames({ files }: Pick<Libraries, 'files'>): readonly string[] {
  const short = files.map(shortFileName);
  const bare = short.map((name) => name.replace(/(?<=.)(-x86-64)?\.so(\.[\w.]+)?$/, ''));
  const isUnique = (names: readonly string[], at: number) =>
    names.indexOf(names[at] as string) === names.lastIndexOf(names[at] as string);
  return files.map((file, at) =>
    isUnique(bare, at) ? (bare[at] as string) : isUnique(short, at) ? (short[at] as string) : file,
  );
}

/** Marks frames that stand for a library. */
const COLLAPSED = '▸';

/** Returns the table with a frame for each library after its symbols, in their order, which stands for all of its functions. */
export function withFrames(symbols: SymbolTable, libraries: Libraries): SymbolTable {
  const { files } = libraries;
  const frames = libraryNames(libraries).map((name) => `${COLLAPSED} ${name}`);
  return {
    ...symbols,
    length: symbols.length + files.length,
    name: [...symbols.name, ...frames],
    kind: [...symbols.kind, ...files.map(() => SymbolKind.Function)],
    dso: [...symbols.dso, ...files.map((file) => symbols.dsoName.indexOf(file))],
  };
}
