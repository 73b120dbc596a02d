/**
 * Parses the kernel's description of an event: which fields its raw samples have, and where.
 */

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

const FIELD = /^\s*field:(.+);\s*offset:(\d+);\s*size:(\d+);(?:\s*signed:(\d+);)?/;
const MAX_SAMPLE_BYTES = 65_535;
/** Far above any description. */
const MAX_TEXT_LENGTH = 256 * 1024;
const MAX_FIELD_LENGTH = 1024;

/** Returns null if the text is not such a description. */
export function parseFormat(system: string, text: string): EventFormat | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  const name = /^name: (\S+)/m.exec(text)?.[1];
  const id = Number(/^ID: (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  if (name === undefined || !Number.isSafeInteger(id)) return null;
  const print = /^print fmt: (.*)/m.exec(text)?.[1] ?? '';
  const fields = text.split('\n').flatMap((line) => (line.length < MAX_FIELD_LENGTH && readField(line, print)) || []);
  const sizeBytes = Math.max(0, ...fields.map((field) => field.offset + field.sizeBytes));
  if (sizeBytes > MAX_SAMPLE_BYTES) return null;
  return { event: `${system}:${name}`, id, fields, sizeBytes, print };
}

const PLACES = { __data_loc: 'from-start', __rel_loc: 'from-field' } as const;

/** Reads a line like "field:char comm[16]; offset:8; size:16; signed:0;". */
function readField(line: string, print: string): FormatField | null {
  const [, declaration = '', offset, size, signed] = FIELD.exec(line) ?? [];
  const [, loc, rest = ''] = /^(?:(__data_loc|__rel_loc) )?(.*)$/.exec(declaration) ?? [];
  const [, type = '', name, count] = /^(.*?)(\w+)(?:\[(\w*)\])?$/.exec(rest.replace(/\[\] /, ' ')) ?? [];
  if (name === undefined) return null;
  const place = loc === undefined ? 'here' : PLACES[loc as keyof typeof PLACES];
  const sizeBytes = Number(size);
  const isArray = place !== 'here' || count !== undefined || ![1, 2, 4, 8].includes(sizeBytes);
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
    isHex: type.includes('*') || isPrintedInHex(name, print),
  };
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

/** Looks for "name=0x%Lx" or "name: 0x%08lx"; the address of a probe has no name. */
function isPrintedInHex(name: string, print: string): boolean {
  return name.startsWith('__probe_') || new RegExp(`\\b${name}[=:] ?\\{?(0x)?%[0-9#]*l*L?[xp]`).test(print);
}
