/**
 * Reads one printed value of a sample: a number as in a recording, or a text.
 */
import type { NumberStyle } from '../../model/samples/sample-table.js';

export interface PrintedValue {
  readonly name: string;
  /** Bytes as latin1 characters. */
  readonly text: string;
  /** It is a text even if it looks like a number. */
  readonly isText: boolean;
  /** As in a recording: numbers of 64 bits are signed, and a text beyond 2^53. Other texts are as printed. */
  readonly value: number | string;
  readonly style: NumberStyle;
}

const TEXT_FIELDS = /comm$|^(?:file)?name$/;

export function isTextField(name: string): boolean {
  return TEXT_FIELDS.test(name);
}

export function printedValue(name: string, text: string, isText = isTextField(name)): PrintedValue {
  const value = isText ? text : (numberOf(text) ?? text);
  return { name, text, isText, value, style: styleOf(text, value) };
}

/** Returns null if it is not a number. */
function numberOf(text: string): number | string | null {
  if (!/^(?:-?\d{1,20}|0x[0-9a-f]{1,16})$/.test(text)) return null;
  const short = Number(text);
  if (Number.isSafeInteger(short)) return short;
  const signed = Number(BigInt.asIntN(64, BigInt(text)));
  if (Number.isSafeInteger(signed)) return signed;
  return text.startsWith('0x') ? `0x${BigInt(text).toString(16)}` : text;
}

function styleOf(text: string, value: number | string): NumberStyle {
  if (text.startsWith('0x')) return 'hexadecimal';
  const isAbove = typeof value === 'number' && value < 0 && !text.startsWith('-');
  return isAbove ? 'unsigned' : 'signed';
}
