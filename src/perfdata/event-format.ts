/**
 * Parses the kernel's description of an event: which fields its raw samples have, and where.
 */
import { hexText } from '../codec/bytes.js';
import { SectionReader } from './file-parts.js';

/** The contents of a `format` file of tracefs. */
export interface EventFormat {
  /** As perf prints it: `system:name`. */
  readonly event: string;
  /** By which attributes refer to it. */
  readonly id: number;
  readonly fields: readonly FormatField[];
  /** Minimum size of a raw sample. */
  readonly sizeBytes: number;
  /** How perf prints it: a format like that of printf, and its arguments. */
  readonly print: string;
}

export interface FormatField {
  readonly name: string;
  readonly kind: 'number' | 'text' | 'list';
  /** Where its bytes are: here, or at an offset from the start of the sample, or from the end of the field. */
  readonly place: 'here' | 'from-start' | 'from-field';
  readonly offset: number;
  readonly sizeBytes: number;
  /** Of one element of a list. */
  readonly elementBytes: number;
  readonly isSigned: boolean;
  /** perf prints it as a hexadecimal number. */
  readonly isHex: boolean;
}

/** All far above what any kernel writes, so that a hostile file costs neither time nor memory. */
const MAX_TEXT_LENGTH = 256 * 1024;
const MAX_LINE_LENGTH = 1024;
const MAX_NAME_LENGTH = 256;
const MAX_FIELDS = 256;
/** Each raw sample begins with the fields that all events have. */
const COMMON_BYTES = 8;
const MAX_SAMPLE_BYTES = 65_535;

/** Returns null if the text is not such a description, or none of a kernel. */
function parseFormat(system: string, text: string): EventFormat | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  const name = /^name: (\S+)/m.exec(text)?.[1];
  const id = Number(/^ID: (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  if (name === undefined || !Number.isSafeInteger(id)) return null;
  const print = /^print fmt: (.*)/m.exec(text)?.[1] ?? '';
  const fields = readFields(text.split('\n'), hexNames(print));
  const sizeBytes = Math.max(COMMON_BYTES, ...fields.map((field) => field.offset + field.sizeBytes));
  const isTooLarge =
    Math.max(system.length, name.length) > MAX_NAME_LENGTH ||
    fields.length > MAX_FIELDS ||
    sizeBytes > MAX_SAMPLE_BYTES;
  // fields that shared bytes would give a sample many times its size in values
  const isOverlapping = fields.reduce((sum, field) => sum + field.sizeBytes, 0) > sizeBytes;
  const hasTwins = new Set(fields.map((field) => field.name)).size < fields.length;
  return isTooLarge || isOverlapping || hasTwins ? null : { event: `${system}:${name}`, id, fields, sizeBytes, print };
}

/** Returns at most one field too many. */
function readFields(lines: readonly string[], inHex: ReadonlySet<string>): FormatField[] {
  const fields: FormatField[] = [];
  for (const line of lines) {
    const field = line.length > MAX_LINE_LENGTH ? null : readField(line, inHex);
    if (field !== null) fields.push(field);
    if (fields.length > MAX_FIELDS) break;
  }
  return fields;
}

const FIELD = /^\s*field:([^;]+);\s*offset:(\d{1,5});\s*size:(\d{1,5});(?:\s*signed:(\d);)?/;
const PLACES = { __data_loc: 'from-start', __rel_loc: 'from-field' } as const;
/** Of the offset and the size of a value that is elsewhere. */
const LOCATION_BYTES = 4;

/** Reads a line like "field:char comm[16]; offset:8; size:16; signed:0;". */
function readField(line: string, inHex: ReadonlySet<string>): FormatField | null {
  const [, declaration = '', offset, size, signed] = FIELD.exec(line) ?? [];
  const [, loc, rest = ''] = /^(?:(__data_loc|__rel_loc) )?(.*)$/.exec(declaration) ?? [];
  const { type, name, count } = splitDeclaration(rest.replace('[] ', ' '));
  const place = loc === undefined ? 'here' : PLACES[loc as keyof typeof PLACES];
  const sizeBytes = Number(size);
  if (name === '' || (place !== 'here' && sizeBytes !== LOCATION_BYTES)) return null;
  const isArray = place !== 'here' || count !== null || ![1, 2, 4, 8].includes(sizeBytes);
  const isText = isArray && /\bchar\b/.test(type) && !type.includes('unsigned') && !type.includes('*');
  const isSigned = isArray ? isSignedType(type) : signed === '1';
  return {
    name,
    kind: isText ? 'text' : isArray ? 'list' : 'number',
    place,
    offset: Number(offset),
    sizeBytes,
    elementBytes: isArray ? elementBytes(type, Number(count), place === 'here' ? sizeBytes : 0) : sizeBytes,
    isSigned,
    isHex: type.includes('*') || name.startsWith('__probe_') || inHex.has(name), // the address of a probe has no name
  };
}

/** Splits "char comm[16]"; `count` is null without brackets. A pattern for it would be slow on long names. */
function splitDeclaration(text: string): {
  readonly type: string;
  readonly name: string;
  readonly count: string | null;
} {
  const end = text.endsWith(']') ? text.lastIndexOf('[') : text.length;
  const name = text.slice(0, end).split(/\W/).at(-1) ?? '';
  return { type: text.slice(0, end - name.length), name, count: end < text.length ? text.slice(end + 1, -1) : null };
}

/** Fields of fixed arrays say whether the array is signed, which is always wrong. */
function isSignedType(type: string): boolean {
  return /\b(s8|s16|s32|s64|int|long|short|pid_t)\b/.test(type) && !type.includes('unsigned');
}

const SIZES: readonly [RegExp, number][] = [
  [/\*|\blong\b|[us]64\b|size_t/, 8],
  [/[us]16\b|\bshort\b/, 2],
  [/[us]8\b|\bchar\b|\bbool\b/, 1],
  [/[us]32\b|\bint\b|\bunsigned\b|pid_t/, 4],
];

/** `sizeBytes`: of the array; 0 if each sample has its own. */
function elementBytes(type: string, count: number, sizeBytes: number): number {
  const byCount = sizeBytes / count;
  return [1, 2, 4, 8].includes(byCount) ? byCount : (SIZES.find(([pattern]) => pattern.test(type))?.[1] ?? 1);
}

/** Returns the fields printed like "name=0x%Lx" or "name: 0x%08lx". */
function hexNames(print: string): ReadonlySet<string> {
  return new Set(Array.from(print.matchAll(/\b(\w+)[=:] ?\{?(?:0x)?%[0-9#]*l*L?[xp]/g), ([, name]) => name as string));
}

// Reads the formats of events from a recording's tracing data, or from notes next to a recording whose perf was killed.

/** The bytes 17 08 44, then "tracing". */
const MAGIC = '17084474726163696e67';
const LITTLE_ENDIAN = 0;

/** Far above all events of a kernel, with all their fields. */
const MAX_DECLARATIONS = 131_072;

/**
 * Yields the formats of the section, laid out as trace-cmd.dat(5) describes. `refuse` receives the system of one that no kernel
 * writes.
 *
 * @throws RangeError where it is truncated or damaged
 */
export function* readTracingData(view: DataView, refuse: (system: string) => void): Generator<EventFormat> {
  const reader = new SectionReader(view);
  const { buffer, byteOffset, byteLength } = reader.bytes(MAGIC.length / 2);
  if (hexText(new Uint8Array(buffer, byteOffset, byteLength)) !== MAGIC) throw new RangeError('not tracing data');
  reader.line(); // the version
  if (reader.u8() !== LITTLE_ENDIAN) throw new RangeError('tracing data of a big-endian machine');
  reader.bytes(5); // sizes of a long and of a page
  for (const name of ['header_page', 'header_event']) {
    if (reader.line() !== name) throw new RangeError(`no ${name}`);
    reader.longText();
  }
  for (let left = reader.u32(); left > 0; left--) reader.longText(); // ftrace's own events
  let declarations = 0;
  for (let systems = reader.u32(); systems > 0; systems--) {
    const system = reader.line();
    for (let left = reader.u32(); left > 0; left--) {
      const format = parseFormat(system, reader.longText());
      declarations += 1 + (format?.fields.length ?? 0);
      if (declarations > MAX_DECLARATIONS) throw new RangeError('more events than a kernel has');
      if (format === null) refuse(system);
      else yield format;
    }
  }
}

/** Reads notes: a line `event SYSTEM:EVENT` before each `format` file. What is not a format is skipped, as notes of the kernel. */
export function readFormatNotes(text: string): EventFormat[] {
  const parts = text
    .replace(/^(kernel|blocked) .*\n/gm, '')
    .split(/^event /m, MAX_DECLARATIONS)
    .slice(1);
  return parts.flatMap((part) => {
    const system = part.slice(0, Math.max(0, part.indexOf(':')));
    return parseFormat(system, part.slice(part.indexOf('\n') + 1)) ?? [];
  });
}
