/**
 * Encodes and decodes branch sites and symbols.
 */

import { NumberReader, NumberWriter } from '../../codec/numbers.js';
import { type SymbolTable, SymbolTableBuilder } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites, RECORD_SITES, TraceEdge } from '../../model/trace/branch-sites.js';
import { NONE } from '../../model/units.js';

/** At least one byte in each column. */
const MIN_SITE_BYTES = 8;
const MAX_KIND = BranchKind.VmExit;
const MAX_EDGE = TraceEdge.BeginAndEnd;

/** The sites of records are the same in every trace, and not written. */
export function siteBytes(sites: BranchSites): Uint8Array {
  const { length, kind, edge, from, to, fromStart, toStart, fromSymbol, toSymbol } = sites;
  const out = new NumberWriter();
  out.count(length - RECORD_SITES);
  for (const column of [kind, edge, from]) writeColumn(out, column.subarray(RECORD_SITES));
  for (let site = RECORD_SITES; site < length; site++) {
    out.near(to[site], from[site]);
    out.near(fromStart[site], from[site]);
    out.near(toStart[site], to[site]);
    out.near(fromSymbol[site], fromSymbol[site - 1]);
    out.near(toSymbol[site], fromSymbol[site]);
  }
  return out.view();
}

/** Reads the sites that were written; `symbols`: the number of symbols. */
export function readSites(bytes: Uint8Array, symbols: number): BranchSites {
  const input = new NumberReader(bytes, 'its table of branches');
  const count = input.length(MIN_SITE_BYTES);
  const kind = readColumn(input, new Uint8Array(count), (last) => input.nearWithin(last, BranchKind.None, MAX_KIND));
  const edge = readColumn(input, new Uint8Array(count), (last) => input.nearWithin(last, TraceEdge.None, MAX_EDGE));
  const from = readColumn(input, new Float64Array(count), (last) => input.wholeNear(last));
  const rest = {
    to: new Float64Array(count),
    fromStart: new Float64Array(count),
    toStart: new Float64Array(count),
    fromSymbol: new Int32Array(count),
    toSymbol: new Int32Array(count),
  };
  let lastSymbol = NONE;
  for (let site = 0; site < count; site++) {
    rest.to[site] = input.wholeNear(from[site]);
    rest.fromStart[site] = input.wholeOrUnknownNear(from[site]);
    rest.toStart[site] = input.wholeOrUnknownNear(rest.to[site]);
    rest.fromSymbol[site] = lastSymbol = input.nearWithin(lastSymbol, NONE, symbols - 1);
    rest.toSymbol[site] = input.nearWithin(lastSymbol, NONE, symbols - 1);
  }
  input.end();
  return { length: count, kind, edge, from, ...rest };
}

/** Writes the length, then each value as its distance to the one before. */
function writeColumn(out: NumberWriter, values: Uint8Array | Float64Array): void {
  out.count(values.length);
  let last = 0;
  for (const value of values) {
    out.near(value, last);
    last = value;
  }
}

/** `next`: reads the value that follows the given one. */
function readColumn<Values extends Uint8Array | Float64Array>(
  input: NumberReader,
  values: Values,
  next: (last: number) => number,
): Values {
  if (input.count() !== values.length) throw input.fault('has columns of different lengths');
  let last = 0;
  for (let row = 0; row < values.length; row++) values[row] = last = next(last);
  return values;
}

/** The rows with which every table begins are not written. */
const SPECIAL = new SymbolTableBuilder().build().length;

/** Encodes and decodes symbols. */
export function symbolBytes({ length, name, dso, dsoName }: SymbolTable): Uint8Array {
  const out = new NumberWriter();
  out.count(dsoName.length);
  for (const file of dsoName) out.text(file);
  out.count(length - SPECIAL);
  for (let row = SPECIAL; row < length; row++) {
    out.count(dso[row] + 1);
    out.text(name[row]);
  }
  return out.view();
}

export function readSymbols(bytes: Uint8Array): SymbolTable {
  const from = new NumberReader(bytes, 'its table of symbols');
  const symbols = new SymbolTableBuilder();
  const files = Array.from({ length: from.length() }, () => from.text());
  const count = from.length(2);
  for (let row = SPECIAL; row < SPECIAL + count; row++) {
    const file = from.countWithin(0, files.length) - 1;
    const symbol = symbols.intern(from.text(), file === NONE ? null : files[file]);
    if (symbol !== row) throw from.fault('has a symbol twice');
  }
  from.end();
  return symbols.build();
}
