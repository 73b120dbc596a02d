/**
 * Writes the part of a profile that all threads share: functions, the files that they are in, stacks, and all texts.
 *
 * Functions are symbols by rank. A frame is a function, as nothing is known of addresses and lines within functions.
 */

import { CallEvent, type CallEvents, isBeginning } from '../model/calls/call-events.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../model/calls/call-tree.js';
import { float64Column, int32Column, uint8Column } from '../model/columns.js';
import { SpecialSymbol, type SymbolTable } from '../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import { type Family, familyOf } from '../render/frames/colours.js';
import { visibleText } from '../render/visible-text.js';
import type { AsciiWriter } from './ascii-writer.js';

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

// Writes a table of Firefox Profiler: an object of columns, each of them a list.

/** Writes the value of a row; or it is the same in all rows. */
export type Column = ((row: number, writer: AsciiWriter) => void) | 'null' | 'false' | '-1' | '0' | '1';

/** `first`: other members of the object, with a comma. */
export function* tablePieces(
  columns: Readonly<Record<string, Column>>,
  length: number,
  writer: AsciiWriter,
  first = '',
): Generator<Uint8Array> {
  writer.text(`{${first}`);
  for (const [name, column] of Object.entries(columns)) {
    writer.text(`"${name}":[`);
    for (let row = 0; row < length; row++) {
      if (row > 0) writer.text(',');
      if (typeof column === 'string') writer.text(column);
      else column(row, writer);
      if (writer.isFull) yield writer.take();
    }
    writer.text('],');
  }
  writer.text('"length":');
  writer.number(length);
  writer.text('}');
  yield writer.take();
}

/** Counts the rows. */
function numbersFrom(first: number): Column {
  return (row, writer) => writer.number(first + row);
}

/** NONE is null. */
export function numberOrNull(value: number, writer: AsciiWriter): void {
  if (value === NONE) writer.text('null');
  else writer.number(value);
}

// The categories of frames in Firefox Profiler, which colour its graphs: user code, the kernel, and each kind of stop.

/** The profiler requires a grey one, and a first subcategory of this name; it draws no graph for what is transparent. */
const CATEGORIES = [
  { name: 'Other', color: 'grey' },
  { name: 'User', color: 'yellow' },
  { name: 'Kernel', color: 'orange' },
  { name: 'System call', color: 'lightblue' },
  { name: 'Off-CPU', color: 'transparent' },
  { name: 'Preempted', color: 'purple' },
  { name: 'Untraced', color: 'darkgrey' },
  { name: 'Lost', color: 'red' },
] as const;

type CategoryName = (typeof CATEGORIES)[number]['name'];

const CATEGORY_OF: Readonly<Record<Family, CategoryName>> = {
  group: 'Other',
  wait: 'Other',
  user: 'User',
  unknown: 'User',
  kernel: 'Kernel',
  entry: 'Kernel',
  syscall: 'System call',
  'off-cpu': 'Off-CPU',
  preempted: 'Preempted',
  untraced: 'Untraced',
  lost: 'Lost',
};

/** As they are written. */
export const categories: readonly object[] = CATEGORIES.map((category) => ({ ...category, subcategories: ['Other'] }));

export function categoryNumber(wanted: CategoryName): number {
  return CATEGORIES.findIndex(({ name }) => name === wanted);
}

/** Returns the number of a function's category. */
function categoryOf(symbol: SymbolId, symbols: SymbolTable): number {
  return categoryNumber(CATEGORY_OF[familyOf(symbol, symbols)]);
}

/** Turns losses, and calls whose start or end was not seen, into markers of Firefox Profiler. */
export const MarkerKind = { Lost: 0, Cut: 1 } as const;

/** By `MarkerKind`: names, and what the profiler shows of markers. */
export const MARKERS = [
  { name: 'Lost', text: 'trace data is missing', fields: [] },
  {
    name: 'Cut call',
    text: 'its start or its end was not seen',
    fields: [{ key: 'function', label: 'Function', format: 'unique-string' }],
  },
] as const;

/** Describes them to the profiler. */
export const markerSchema: readonly object[] = MARKERS.map(({ name, text, fields }) => ({
  name,
  description: text,
  display: ['marker-chart', 'marker-table', 'timeline-overview'],
  ...(fields.length > 0 && { chartLabel: '{marker.data.function}', tableLabel: '{marker.data.function}' }),
  fields,
}));

/** In the order of their ends. */
export interface Markers {
  readonly kind: Uint8Array; // MarkerKind
  readonly symbol: Int32Array; // SymbolId
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/** `symbolOf`: by node. */
export function markersOf({ timeNs, node, kind }: CallEvents, symbolOf: Int32Array): Markers {
  const kinds = uint8Column();
  const symbols = int32Column();
  const [starts, ends] = [float64Column(), float64Column()];
  const open: Nanoseconds[] = [];
  for (let row = 0; row < kind.length; row++) {
    if (isBeginning(kind[row])) {
      open.push(timeNs[row]);
      continue;
    }
    const startNs = open.pop() as Nanoseconds;
    const symbol: SymbolId = symbolOf[node[row]];
    const isLost = symbol === SpecialSymbol.Lost;
    if (!isLost && kind[row] !== CallEvent.Cut) continue;
    kinds.push(isLost ? MarkerKind.Lost : MarkerKind.Cut);
    symbols.push(symbol);
    starts.push(startNs);
    ends.push(timeNs[row]);
  }
  return { kind: kinds.view(), symbol: symbols.view(), startNs: starts.view(), endNs: ends.view() };
}

// Numbers the stacks of all threads: each call path once, in the order in which calls reach them.

/** A stack is a row: its frame, which is the rank of a symbol, and the row of its caller's stack. */
export class Stacks {
  private readonly paths = new CallTreeBuilder();

  constructor(private readonly rankOf: Int32Array) {}

  /** The root of the builder is no stack. */
  get length(): number {
    return this.paths.length - 1;
  }

  frameOf(stack: number): number {
    return this.paths.symbolOf(stack + 1);
  }

  /** Returns NONE for a stack without a caller. */
  callerOf(stack: number): number {
    return this.paths.parentOf(stack + 1) - 1;
  }

  /** Returns what finds the stacks of a tree's nodes; NONE is that of the root. */
  of({ length, parent, symbol }: Pick<CallTree, 'length' | 'parent' | 'symbol'>): (node: NodeId) => number {
    const known = new Int32Array(length).fill(NONE);
    known[ROOT] = ROOT;
    return (node) => {
      const unknown: NodeId[] = [];
      let path = node;
      for (; known[path] === NONE; path = parent[path]) unknown.push(path);
      for (const next of unknown.reverse())
        known[next] = this.paths.child(known[parent[next]], this.rankOf[symbol[next]]);
      return known[node] - 1;
    };
  }
}
