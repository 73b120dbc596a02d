/**
 * Encodes and decodes symbols.
 */

import { NumberReader } from '../../codec/number-reader.js';
import { NumberWriter } from '../../codec/number-writer.js';
import { type SymbolTable, SymbolTableBuilder } from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';

/** The rows with which every table begins are not written. */
const SPECIAL = new SymbolTableBuilder().build().length;

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
