/**
 * The ends of branches: a row for each distinct text before an arrow (origins) and after one (targets).
 */
import {
  END_ADDRESS,
  END_BYTES,
  END_FILE,
  END_FLAGS,
  END_START,
  END_SYMBOL,
  SHARED_ORIGIN_ENDS,
  SHARED_TARGET_ENDS,
} from './layout';
import { GrowingBuffer } from './memory';

export const origins = GrowingBuffer.shared(SHARED_ORIGIN_ENDS);
export const targets = GrowingBuffer.shared(SHARED_TARGET_ENDS);

/** Adds a row and returns its number. The caller holds the lock. */
export function addEnd(ends: GrowingBuffer, address: f64, start: f64, symbol: i32, file: i32, flags: u32): u32 {
  const row = ends.extend(END_BYTES);
  store<f64>(row, address, END_ADDRESS);
  store<f64>(row, start, END_START);
  store<f64>(row, <f64>symbol, END_SYMBOL);
  store<f64>(row, <f64>file, END_FILE);
  store<f64>(row, <f64>flags, END_FLAGS);
  return <u32>(ends.used / END_BYTES) - 1;
}

/** Removes the last row, whose number nobody knows. The caller holds the lock. */
export function removeLastEnd(ends: GrowingBuffer): void {
  ends.used -= END_BYTES;
}
