/**
 * A binary of a recording → its symbols, from whichever file has them.
 */
import { type ElfFile, readElf } from '../elf/elf-file.js';
import { buildIdOf } from '../elf/identity.js';
import { buildSymbolTable, hasSymbols, type SymbolTable, type TableOptions } from '../table/symbol-table.js';
import { binaryPaths, debugPaths } from './candidates.js';
import type { OpenSymbolFile, SymbolFiles, SymbolPlaces } from './symbol-files.js';

export type LoadedBinary =
  | { readonly table: SymbolTable; readonly from: string; readonly isComplete: boolean }
  | { readonly table: null; readonly why: string };

interface OpenElf {
  readonly elf: ElfFile;
  readonly path: string;
  readonly buildId: string | null;
}

/** Files opened on the way; all are closed once the table is built, for it keeps copies of what it needs. */
interface Reader {
  readonly files: SymbolFiles;
  readonly opened: OpenSymbolFile[];
  why: string;
}

/** `buildId` is what the recording says of the file that ran; null if nothing. */
export function loadBinary(
  path: string,
  buildId: string | null,
  files: SymbolFiles,
  places: SymbolPlaces,
  options: TableOptions,
): LoadedBinary {
  const reader: Reader = { files, opened: [], why: 'there is no such file' };
  try {
    return loadWith(reader, path, buildId, places, options);
  } finally {
    for (const file of reader.opened) file.close();
  }
}

function loadWith(
  reader: Reader,
  path: string,
  recordedId: string | null,
  places: SymbolPlaces,
  options: TableOptions,
): LoadedBinary {
  const binary = firstOf(
    reader,
    binaryPaths(path, recordedId, places),
    (id) => recordedId === null || id === recordedId,
  );
  const buildId = recordedId ?? binary?.buildId ?? null;
  const paths = debugPaths(path, binary?.elf ?? null, buildId, places);
  const debug = firstOf(reader, paths, (id, elf) => hasSymbols(elf) && (buildId === null || id === buildId));
  const symbols = debug ?? binary;
  if (symbols === null) return { table: null, why: reader.why };
  const table = buildSymbolTable(symbols.elf, binary?.elf ?? symbols.elf, options);
  return { table, from: symbols.path, isComplete: hasSymbols(symbols.elf) };
}

type IsWanted = (buildId: string | null, elf: ElfFile) => boolean;

function firstOf(reader: Reader, paths: readonly string[], isWanted: IsWanted): OpenElf | null {
  for (const path of paths) {
    const file = reader.files.open(path);
    if (file === null) continue;
    reader.opened.push(file);
    const reading = readElf(file);
    if (reading.elf === null) {
      reader.why = reading.why;
      continue;
    }
    const buildId = buildIdOf(reading.elf);
    if (isWanted(buildId, reading.elf)) return { elf: reading.elf, path, buildId };
    reader.why = 'it is another version than the one that ran';
  }
  return null;
}
