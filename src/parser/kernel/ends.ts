/**
 * The ends of branches as numbers: a row for each text that stands before an arrow, and for each that stands behind one.
 *
 * A row has five numbers: the address, where its function begins (NaN: not known), the function's symbol, the file it is in
 * (NO_FILE: none was printed), and in origins what the flags mean. Below zero a symbol stands for a text instead, which is kept
 * elsewhere (`~symbol`).
 */
import { Column } from './memory';

const ADDRESS: usize = 0;
const START: usize = 8;
const SYMBOL: usize = 16;
const FILE: usize = 24;
const FLAGS: usize = 32;
const END_BYTES: usize = 40;
export const NO_FILE: i32 = -1;

export const origins = Column.make();
export const targets = Column.make();

/** A new row; its number. */
export function addEnd(ends: Column, address: f64, start: f64, symbol: i32, file: i32, flags: u32): u32 {
  const row = ends.extend(END_BYTES);
  store<f64>(row, address, ADDRESS);
  store<f64>(row, start, START);
  store<f64>(row, <f64>symbol, SYMBOL);
  store<f64>(row, <f64>file, FILE);
  store<f64>(row, <f64>flags, FLAGS);
  return countOf(ends) - 1;
}

export function countOf(ends: Column): u32 {
  return <u32>(ends.used / END_BYTES);
}
