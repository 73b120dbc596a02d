/**
 * The ends of branches as numbers: a row for each text that stands before an arrow, and for each that stands behind one.
 */
import { END_ADDRESS, END_BYTES, END_FILE, END_FLAGS, END_START, END_SYMBOL } from './layout';
import { Column } from './memory';

export const origins = Column.make();
export const targets = Column.make();

/** A new row; its number. */
export function addEnd(ends: Column, address: f64, start: f64, symbol: i32, file: i32, flags: u32): u32 {
  const row = ends.extend(END_BYTES);
  store<f64>(row, address, END_ADDRESS);
  store<f64>(row, start, END_START);
  store<f64>(row, <f64>symbol, END_SYMBOL);
  store<f64>(row, <f64>file, END_FILE);
  store<f64>(row, <f64>flags, END_FLAGS);
  return countOf(ends) - 1;
}

export function countOf(ends: Column): u32 {
  return <u32>(ends.used / END_BYTES);
}
