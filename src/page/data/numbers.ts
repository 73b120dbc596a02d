/**
 * Creates writers and readers for the numbers in the page data; eight-byte numbers are big-endian.
 */
import { NumberReader, NumberWriter } from '../../codec/numbers.js';

export function pageWriter(): NumberWriter {
  return new NumberWriter('big-endian');
}

export function pageReader(bytes: Uint8Array): NumberReader {
  return new NumberReader(bytes, 'the page', 'big-endian');
}
