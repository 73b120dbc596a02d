/**
 * Reads the fields of raw samples of one event into the columns of its table.
 */

import type { NumberStyle } from '../../model/sample-table.js';
import type { FieldBuilder, SampleTableBuilder } from '../../model/sample-tables-builder.js';
import type { EventFormat, FormatField } from './event-format.js';

/** Reads a field of the raw sample from `at` to `end` into a row; returns whether its bytes are in the sample. */
export type FieldReader = (view: DataView, at: number, end: number, row: number) => boolean;

/** The same in all events; `common_flags` becomes the context of the sample. */
const COMMON = /^common_/;

export function fieldReaders(format: EventFormat, into: SampleTableBuilder): FieldReader[] {
  const own = format.fields.filter(({ name }) => !COMMON.test(name));
  const left: BytesLeft = { bytes: 0 };
  const begin: FieldReader = (_, at, end) => {
    left.bytes = end - at;
    return true;
  };
  return [begin, ...own.map((field) => readerOf(field, into.field(field.name, styleOf(field)), format, left))];
}

/** Of the sample being read: if all its fields were the same bytes elsewhere, it would become many times as large. */
interface BytesLeft {
  bytes: number;
}

function styleOf({ isHex, isSigned }: FormatField): NumberStyle {
  return isHex ? 'hexadecimal' : isSigned ? 'signed' : 'unsigned';
}

function readerOf(field: FormatField, into: FieldBuilder, format: EventFormat, left: BytesLeft): FieldReader {
  const states =
    field.name === 'prev_state' && field.kind === 'number' && field.sizeBytes >= 4 ? taskStates(format.print) : null;
  if (states !== null) return (view, at, _, row) => setText(into, row, states(view.getUint32(at + field.offset, true)));
  switch (field.kind) {
    case 'number':
      return numberReader(field, into);
    case 'text':
      return bytesReader(field, left, (view, at, count, row) => into.setText(row, shortText(view, at, count)));
    case 'list':
      return bytesReader(field, left, (view, at, count, row) => into.setText(row, listText(field, view, at, count)));
  }
}

function setText(into: FieldBuilder, row: number, text: string): true {
  into.setText(row, text);
  return true;
}

function numberReader({ sizeBytes, isSigned, isHex, offset }: FormatField, into: FieldBuilder): FieldReader {
  if (sizeBytes === 8) return (view, at, _, row) => setLong(view, at + offset, isSigned, isHex, into, row);
  const read = shortReader(sizeBytes, isSigned);
  return (view, at, _, row) => {
    into.setNumber(row, read(view, at + offset));
    return true;
  };
}

function shortReader(sizeBytes: number, isSigned: boolean): (view: DataView, at: number) => number {
  switch (sizeBytes) {
    case 1:
      return isSigned ? (view, at) => view.getInt8(at) : (view, at) => view.getUint8(at);
    case 2:
      return isSigned ? (view, at) => view.getInt16(at, true) : (view, at) => view.getUint16(at, true);
    default:
      return isSigned ? (view, at) => view.getInt32(at, true) : (view, at) => view.getUint32(at, true);
  }
}

/** Numbers of 64 bits are signed, as addresses are; those beyond 2^53 become texts. */
function setLong(view: DataView, at: number, isSigned: boolean, isHex: boolean, into: FieldBuilder, row: number): true {
  const value = view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  if (Number.isSafeInteger(value)) into.setNumber(row, value);
  else into.setText(row, longText(view, at, isSigned, isHex));
  return true;
}

function longText(view: DataView, at: number, isSigned: boolean, isHex: boolean): string {
  if (isHex) return `0x${view.getBigUint64(at, true).toString(16)}`;
  return String(isSigned ? view.getBigInt64(at, true) : view.getBigUint64(at, true));
}

/** Finds the bytes of a text or list. Where they are elsewhere, the field has their offset and, above it, their size. */
function bytesReader(
  { place, offset, sizeBytes }: FormatField,
  left: BytesLeft,
  set: (view: DataView, at: number, count: number, row: number) => void,
): FieldReader {
  if (place === 'here')
    return (view, at, _, row) => {
      set(view, at + offset, sizeBytes, row);
      return true;
    };
  const base = place === 'from-start' ? 0 : offset + 4;
  return (view, at, end, row) => {
    const first = at + base + view.getUint16(at + offset, true);
    const count = view.getUint16(at + offset + 2, true);
    const isInside = first + count <= end && count <= left.bytes;
    if (isInside) left.bytes -= count;
    set(view, isInside ? first : at, isInside ? count : 0, row);
    return isInside;
  };
}

/** As perf prints an array of a probe: `{1,2}`. */
function listText({ elementBytes, isSigned, isHex }: FormatField, view: DataView, at: number, count: number): string {
  const read = elementBytes === 8 ? null : shortReader(elementBytes, isSigned);
  const elements: string[] = [];
  for (let next = at; next + elementBytes <= at + count; next += elementBytes) {
    if (read === null) elements.push(longText(view, next, isSigned, isHex));
    else elements.push(isHex ? `0x${(read(view, next) >>> 0).toString(16)}` : String(read(view, next)));
  }
  return `{${elements.join(',')}}`;
}

/** A kernel has about ten letters, and bits up to 0x1000. Few states keep the texts small, whatever a file lists. */
const FLAG = /\{ (0x[0-9a-f]{1,8}|\d{1,8}), "([^"]{1,8})" \}/g;
const MAX_FLAGS = 32;
const MAX_BIT = 2 ** 15;

/**
 * The state of a thread that is switched out, as `sched_switch` prints it.
 *
 * Returns a function from the number to the text, such as "S" (waits), "D" (waits, uninterruptible), "R" (runnable),
 * "R+" (preempted); null if the event prints no such flags. `print`: has a list like `{ 0x00000001, "S" }, …`.
 */
function taskStates(print: string): ((state: number) => string) | null {
  const listed = Array.from(print.matchAll(FLAG), ([, bit, letter]) => ({
    bit: Number(bit),
    letter: letter as string,
  }));
  const flags = listed.filter(({ bit }) => bit <= MAX_BIT).slice(0, MAX_FLAGS);
  if (flags.length === 0) return null;
  // the bit above all states marks a thread that was preempted
  const preempted = 2 * Math.max(...flags.map(({ bit }) => bit));
  const known = new Map<number, string>();
  return (state) => {
    let text = known.get(state & (2 * preempted - 1));
    if (text === undefined) {
      const letters = flags.filter(({ bit }) => state & bit).map(({ letter }) => letter);
      text = `${letters.join('|') || 'R'}${state & preempted ? '+' : ''}`;
      known.set(state & (2 * preempted - 1), text);
    }
    return text;
  };
}

const SLOTS = 4096;
const MAX_CACHED_BYTES = 64;

const bytesOf: (Uint8Array | undefined)[] = new Array(SLOTS);
const texts: string[] = new Array(SLOTS).fill('');

/**
 * Decodes short texts that repeat, such as names of threads, to the same string.
 *
 * Decodes UTF-8 up to the first zero byte.
 */
function shortText(view: DataView, at: number, count: number): string {
  let hash = 0;
  let length = 0;
  for (let byte = 0; length < count && (byte = view.getUint8(at + length)) !== 0; length++)
    hash = (Math.imul(hash, 31) + byte) | 0;
  if (length === 0) return '';
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  if (length > MAX_CACHED_BYTES) return decode(bytes);
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
  const cached = bytesOf[slot];
  if (cached !== undefined && isEqual(cached, bytes)) return texts[slot] as string;
  bytesOf[slot] = bytes.slice();
  return (texts[slot] = decode(bytes));
}

function decode({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
