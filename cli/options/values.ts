/**
 * Parses lists, regular expressions, sizes and durations of the command line.
 */
import * as z from 'zod';
import { MIN_MEMORY_BYTES } from '../../src/model/memory.js';
import { type FlagMeta, flag } from '../usage/flag.js';
import { expression } from './question-values.js';

const MAX_RANGE = 100_000;

interface NumberListMeta extends Pick<FlagMeta, 'alias' | 'whenEmpty' | 'common'> {
  /** What takes a name instead of numbers: `--comm NAME`. */
  readonly byName?: string;
}

/** "0-3,8", the output of pgrep and pidof, and repeated flags → numbers. `whenEmpty`: why there may be no number. */
const numbersOr = ({ whenEmpty, byName }: NumberListMeta) =>
  z.array(z.coerce.string()).transform((texts, context) => {
    const numbers = texts.flatMap((text) => text.split(/[\s,]+/).filter((part) => part !== '')).flatMap(parseRange);
    if (numbers.length > 0 && !numbers.includes(Number.NaN)) return [...new Set(numbers)];
    const isEmpty = numbers.length === 0 && whenEmpty !== undefined;
    const message = `must be a list of numbers and ranges, such as 0-3,8; a range has at most ${MAX_RANGE} numbers`;
    const name = texts.find((text) => /^[a-z][\w.-]*$/i.test(text));
    const other = name === undefined || byName === undefined ? '' : `; by name: ${byName.replace('NAME', name)}`;
    context.addIssue({ code: 'custom', message: isEmpty ? `has no value; ${whenEmpty}` : message + other });
    return z.NEVER;
  });

/** A flag that takes a list of numbers. `whenEmpty`: what to say if the list is empty, as that of pidof may be. */
export function numberList(description: string, meta: NumberListMeta = {}) {
  const { byName: _, ...shown } = meta;
  return flag(numbersOr(meta).optional(), description, { value: 'LIST', takesNumbers: true, ...shown });
}

function parseRange(text: string): number[] {
  const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text);
  if (match === null) return [Number.NaN];
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  if (last < first || last - first >= MAX_RANGE) return [Number.NaN];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export const regex = z.string().transform((text, context) => {
  const found = expression(text);
  if (found !== null) return found;
  context.addIssue({ code: 'custom', message: `must be a valid regular expression: "${text}"` });
  return z.NEVER;
});

export const path = z.string().min(1, 'must not be empty');

/** "256M" → bytes; null: no size. */
function bytesOf(text: string): number | null {
  const match = /^(\d{1,12}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  return match === null ? null : Number(match[1]) * 1024 ** ' KMGT'.indexOf(match[2].toUpperCase() || ' ');
}

export const byteSize = z.string().transform((text, context) => {
  const bytes = bytesOf(text) ?? 0;
  if (bytes >= MIN_MEMORY_BYTES) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size of at least 160M, such as 512M or 8G' });
  return z.NEVER;
});

const MAX_DETAIL_BYTES = 2 ** 30;

/** "16M" → bytes; "0" → 0. */
export const detailSize = z.coerce.string().transform((text, context) => {
  const bytes = bytesOf(text);
  if (bytes !== null && bytes <= MAX_DETAIL_BYTES) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size of at most 1G, such as 16M, or 0' });
  return z.NEVER;
});

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** "2G" → bytes; "0" → 0. */
export const fileSize = z.coerce.string().transform((text, context) => {
  const bytes = bytesOf(text);
  if (bytes !== null) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size, such as 500M or 2G, or 0' });
  return z.NEVER;
});

/** "500ms" → milliseconds. */
export const duration = z.string().transform((text, context) => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text.trim());
  const ms = match === null ? 0 : Number(match[1]) * MS[match[2] as keyof typeof MS];
  if (ms >= 1 && ms <= 24 * MS.h) return ms;
  context.addIssue({ code: 'custom', message: 'must be a time from 1ms to 24h with a unit, such as 500ms, 1s or 2m' });
  return z.NEVER;
});

/** "2%" → 0.02. */
export const percentage = z.string().transform((text, context) => {
  const percent = Number(/^(\d{1,4}(?:\.\d{1,3})?)%$/.exec(text.trim())?.[1] ?? 0);
  if (percent > 0) return percent / 100;
  context.addIssue({ code: 'custom', message: 'must be a percentage above 0, such as 2%' });
  return z.NEVER;
});

const MIN_BUFFER_BYTES = 8 * 1024;
const MAX_BUFFER_BYTES = 2 ** 35;

/** "32M" → bytes. */
function bufferBytes(text: string): number | null {
  const match = /^(\d{1,11})([KMG]?)(?:i?B)?$/i.exec(text.trim());
  const bytes = match === null ? 0 : Number(match[1]) * 1024 ** ' KMG'.indexOf(match[2]?.toUpperCase() || ' ');
  const fits = bytes >= MIN_BUFFER_BYTES && bytes <= MAX_BUFFER_BYTES && Number.isInteger(Math.log2(bytes));
  return fits ? bytes : null;
}

export const bufferSize = z.string().transform((text, context) => {
  const bytes = bufferBytes(text);
  if (bytes !== null) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a power of two of at least 8K, such as 512K, 32M or 1G' });
  return z.NEVER;
});

/** Without a value: null, the size of the buffer. */
export const snapshotSize = z.string().transform((text, context) => {
  const bytes = text === '' ? null : bufferBytes(text);
  if (text === '' || bytes !== null) return { bytes };
  context.addIssue({
    code: 'custom',
    message: 'must be a power of two of at least 8K, such as 512K or 32M, or have no value',
  });
  return z.NEVER;
});

export const text = z.string().min(1, 'must not be empty');

/**
 * Parses what `record` shall trace beyond calls: waits and probes.
 *
 * Without a value: the events that cost least.
 */
export const waits = z.string().transform((text, context) => {
  if (text === '' || text === 'full') return text === '' ? ('some' as const) : text;
  context.addIssue({ code: 'custom', message: 'must be full, or have no value' });
  return z.NEVER;
});

/** A probe at an instruction of a program. */
export interface Probe {
  readonly name: string;
  readonly file: string;
  /** As typed: "Queue::push+4 job=%di". */
  readonly definition: string;
  /** "Queue::push"; with "@", a position in the language of `perf probe`. */
  readonly symbol: string;
  /** From the beginning of the function, in bytes. */
  readonly offset: number;
  /** `returns`: each return instruction; `calls`: the entry, and these. */
  readonly at: 'offset' | 'return' | 'returns' | 'calls';
  /** In the language of `perf probe`: " job=%di"; with the blank before them. */
  readonly args: string;
}

/** "push=./server:queue_push job=%di", repeated → probes. */
export const probes = z.array(z.string()).transform((texts, context) => {
  const found = texts.map(parseProbe);
  const names = found.map((probe) => probe?.name);
  const wrong = texts[found.indexOf(null)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (wrong === undefined && twice === undefined) return found.filter((probe) => probe !== null);
  const message =
    wrong === undefined
      ? `must have different names: ${twice}`
      : `must be NAME=FILE:SYMBOL[+OFFSET] ARGUMENTS, or with %calls or %returns after SYMBOL, such as 'push=./server:queue_push job=%di': ${wrong}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const NAMED = /^([A-Za-z_]\w{0,39})=(.+)$/;
/** Colons that separate a file from a symbol, not `::`. */
const SEPARATOR = /(?<=[^\s:]):(?=[^\s:])/g;

/** The file ends at the first colon that a symbol follows. */
function parseProbe(text: string): Probe | null {
  const [, name = '', rest = ''] = NAMED.exec(text) ?? [];
  if (!/^\S/.test(rest)) return null;
  for (const { index } of rest.matchAll(SEPARATOR)) {
    const definition = rest.slice(index + 1);
    const bytes = symbolLength(definition);
    if (bytes === 0) continue;
    const position = definition.slice(0, bytes);
    const [, symbol = position, offset = '0', returns] = POSITION.exec(position) ?? [];
    return {
      ...{ name, file: rest.slice(0, index), definition, symbol, offset: Number(offset) },
      at: (returns as Probe['at'] | undefined) ?? 'offset',
      args: definition.slice(bytes),
    };
  }
  return null;
}

/** A name, and what follows it: "+0x10", "%return", "%returns" or "%calls". */
const POSITION = /^([^@]*?)(?:\+(0x[0-9a-fA-F]+|\d+))?(?:%(returns?|calls))?$/;
/** Of C++, where brackets and signs are part of a name. */
const OPERATOR =
  /operator *(?:\(\)|\[\]|<=>|->\*?|<<=?|>>=?|&&|\|\||\+\+|--|[-+*/%^&|<>=!]=?|[~,]|(?:new|delete)\b(?:\[\])?)|operator"" *\w+/y;
const FIRST = /[\p{L}_.$~<({]/u;

/** Returns the length of the position, up to a blank that is not within brackets: "push(Job*, int) const"; 0: it is none. */
function symbolLength(text: string): number {
  let depth = 0;
  let at = 0;
  if (!FIRST.test(text[0] ?? '')) return 0;
  while (at < text.length) {
    OPERATOR.lastIndex = at;
    const operator = /\w/.test(text[at - 1] ?? '') ? null : OPERATOR.exec(text);
    if (operator !== null) {
      at += operator[0].length;
      continue;
    }
    const character = text[at] as string;
    if ('(<[{'.includes(character)) depth++;
    else if (')>]}'.includes(character)) depth--;
    else if (text.startsWith('::', at)) at++;
    else if (depth === 0 && /[\s:;=]/.test(character)) break;
    at++;
  }
  const [suffix = ''] = /^(?: (?:const|volatile|&&?)(?=\s|$))+/.exec(text.slice(at)) ?? [];
  at += text[at - 1] === ')' ? suffix.length : 0;
  const isEnd = at === text.length || text[at] === ' ' || text[at] === '\t';
  return depth === 0 && isEnd ? at : 0;
}
