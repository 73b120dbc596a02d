/**
 * Writes the part of a profile that all threads share: functions, the files that they are in, stacks, and all texts.
 *
 * Functions are symbols by rank. A frame is a function, as nothing is known of addresses and lines within functions.
 */
import type { SymbolTable } from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';
import type { AsciiWriter } from '../ascii-writer.js';
import { categoryOf } from './categories.js';
import { MARKERS } from './markers.js';
import type { Stacks } from './stacks.js';
import { type Column, numberOrNull, numbersFrom, tablePieces } from './table.js';

/** The type of resources that are binaries. */
const LIBRARY = '1';

/** Where texts begin in the array of all texts, which begins with the names of symbols. */
export interface TextRows {
  readonly file: number;
  readonly sourceFile: number;
  readonly marker: number;
}

export function textRowsOf({ length, dsoName, lines }: SymbolTable): TextRows {
  const sourceFile = length + dsoName.length;
  return { file: length, sourceFile, marker: sourceFile + (lines?.fileName.length ?? 0) };
}

/** `symbols`: by rank. */
export function* sharedPieces(
  symbols: SymbolTable,
  stacks: Stacks,
  writer: AsciiWriter,
): Generator<string | Uint8Array> {
  yield '{"stringArray":[';
  yield* textPieces(symbols);
  yield ']';
  for (const [name, { length, columns }] of Object.entries(tablesOf(symbols, stacks))) {
    yield `,\n"${name}":`;
    yield* tablePieces(columns, length, writer);
  }
  yield '}';
}

function* textPieces({ name, dsoName, lines }: SymbolTable): Generator<string> {
  const markers = MARKERS.map((marker) => marker.name);
  let separator = '\n';
  for (const texts of [name, dsoName, lines?.fileName ?? [], markers])
    for (const text of texts) {
      yield `${separator}${JSON.stringify(visibleText(text))}`;
      separator = ',\n';
    }
}

interface Table {
  readonly length: number;
  readonly columns: Readonly<Record<string, Column>>;
}

function tablesOf(symbols: SymbolTable, stacks: Stacks): Readonly<Record<string, Table>> {
  const { dsoName, lines } = symbols;
  const rows = textRowsOf(symbols);
  const sources = { uuid: 'null', filename: numbersFrom(rows.sourceFile) } as const;
  const resources = { type: LIBRARY, lib: numbersFrom(0), name: numbersFrom(rows.file), host: 'null' } as const;
  const nativeSymbols = { libIndex: 'null', address: 'null', name: 'null', functionSize: 'null' } as const;
  const stackColumns: Table['columns'] = {
    frame: (row, to) => to.number(stacks.frameOf(row)),
    prefix: (row, to) => numberOrNull(stacks.callerOf(row), to),
  };
  return {
    sources: { length: lines?.fileName.length ?? 0, columns: sources },
    resourceTable: { length: dsoName.length, columns: resources },
    nativeSymbols: { length: 0, columns: nativeSymbols },
    funcTable: { length: symbols.length, columns: functionColumns(symbols) },
    frameTable: { length: symbols.length, columns: frameColumns(symbols) },
    stackTable: { length: stacks.length, columns: stackColumns },
  };
}

function functionColumns({ dso, lines }: SymbolTable): Table['columns'] {
  return {
    name: numbersFrom(0),
    isJS: 'false',
    relevantForJS: 'false',
    resource: (row, to) => to.number(dso[row] as number), // NONE is what the profiler expects
    source: (row, to) => numberOrNull(lines?.file[row] ?? NONE, to),
    lineNumber: (row, to) => numberOrNull(lines?.line[row] || NONE, to),
    columnNumber: 'null',
  };
}

function frameColumns(symbols: SymbolTable): Table['columns'] {
  return {
    address: '-1',
    inlineDepth: '0',
    category: (row, to) => to.number(categoryOf(row, symbols)),
    subcategory: '0',
    func: numbersFrom(0),
    nativeSymbol: 'null',
    innerWindowID: 'null',
    line: 'null',
    column: 'null',
  };
}
