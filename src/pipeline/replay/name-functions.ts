/**
 * Gives each function without a symbol a name of its own.
 *
 *     [liblzma.so.5.4.1+0x1a2b0]          offset of its entry in the file: the same in every run, on every machine
 *     [liblzma.so.5.4.1+0x1a000-0x1afff]  code in this page that was never seen to be entered
 *     [liblzma.so.5.4.1 0x7f2c1d01a2b0]   perf printed the file, but its mapping is not known
 *     [unknown 0x7f2c1d01a2b0]            no file is known, or there is none: a JIT compiler generated the code
 */
import {
  dsoOf,
  homeOfCode,
  SymbolKind,
  type SymbolTable,
  shortFileName,
  withSymbols,
} from '../../model/symbol-table.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import type { Address, SymbolId } from '../../model/units.js';
import { codeOf, type FunctionIds } from '../../replay/functions/function-ids.js';
import { type FileOffset, fileOffsets, type PrintedAddress } from '../../trace/records/mappings.js';

/** `mappings`: of the processes that the functions ran in. Also returns a symbol table that includes the new names. */
export function nameFunctions(
  ids: FunctionIds,
  table: SymbolTable,
  mappings: readonly Mapping[],
): { readonly ids: FunctionIds; readonly symbols: SymbolTable } {
  const nameless = ids.symbol.flatMap((symbol, fn) =>
    table.kind[symbol] === SymbolKind.Unknown && !Number.isNaN(ids.start[fn]) ? [fn] : [],
  );
  const asked = nameless.map((fn) => ({
    address: codeOf(ids.start[fn] as Address).first,
    file: dsoOf(table, ids.symbol[fn] as SymbolId),
  }));
  const mapped = fileOffsets(mappings, asked);
  const names = nameless.map((fn, row) => {
    const { address, file: printed } = asked[row] as PrintedAddress;
    const file = isInFile(printed) ? printed : null;
    const location = printedLocation(file, address, ids.fileStart[fn] as Address) ?? mapped[row] ?? null;
    const name = nameOf(location, file, address, codeOf(ids.start[fn] as Address).bytes);
    return { name, dso: location?.file ?? file };
  });
  const added = withSymbols(table, names, SymbolKind.Unknown);
  const symbol = [...ids.symbol];
  nameless.forEach((fn, row) => {
    symbol[fn] = added.rows[row] as SymbolId;
  });
  return { ids: { ...ids, symbol }, symbols: added.table };
}

/** The kernel counts as a file. */
function isInFile(printed: string | null): boolean {
  const home = homeOfCode(printed);
  return home === 'file' || home === 'kernel';
}

/** The file and offset that perf printed. */
function printedLocation(file: string | null, address: Address, fileStart: Address): FileOffset | null {
  return file === null || Number.isNaN(fileStart) ? null : { file, offset: address - fileStart };
}

/** `bytes`: size of the page that the function stands for; null: the function has an entry. */
function nameOf(location: FileOffset | null, file: string | null, address: Address, bytes: number | null): string {
  const range = (first: number) => hex(first) + (bytes === null ? '' : `-${hex(first + bytes - 1)}`);
  if (location !== null) return `[${shortFileName(location.file)}+${range(location.offset)}]`;
  return `[${file === null ? 'unknown' : shortFileName(file)} ${range(address)}]`;
}

/** Addresses in the upper half of the address space are negative here. */
function hex(address: number): string {
  return `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
}
