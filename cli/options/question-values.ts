/**
 * Parses times, durations and functions of the command line.
 */
import * as z from 'zod';
import { PtflameError } from '../../src/model/errors.js';
import type { FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import type { CallPattern, Moment } from '../../src/pipeline/replay/selection.js';

const UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };
const DURATION = String.raw`\d{1,15}(?:\.\d{1,9})?(?:${Object.keys(UNITS).join('|')})?`;
const IS_DURATION = new RegExp(`^(${DURATION})$`);

/** "10us" → whole nanoseconds, also the default unit. */
export function parseDuration(text: string): number | null {
  if (!IS_DURATION.test(text)) return null;
  const [, number, unit = ''] = /^([\d.]+)(\D*)$/.exec(text) as RegExpExecArray;
  return Math.round(Number(number) * UNITS[unit === '' ? 'ns' : unit]);
}

/** "10us,1ms": both bounds or one of them. */
function parseDurations(text: string): Pick<CallPattern, 'minNs' | 'maxNs'> | null {
  const [min, max, ...more] = text.split(',').map((part) => part.trim());
  if (min === undefined || max === undefined || more.length > 0 || (min === '' && max === '')) return null;
  const [minNs, maxNs] = [min, max].map((part) => (part === '' ? undefined : parseDuration(part)));
  if (minNs === null || maxNs === null || (minNs ?? 0) > (maxNs ?? Number.POSITIVE_INFINITY)) return null;
  return { ...(minNs !== undefined && { minNs }), ...(maxNs !== undefined && { maxNs }) };
}

/** "858572.85": on perf's clock; "+10ms": from the start of the recording. */
function parseMoment(text: string): Moment | null {
  if (text.startsWith('+')) {
    const afterStartNs = lacksUnit(text) ? null : parseDuration(text.slice(1));
    return afterStartNs === null ? null : { afterStartNs };
  }
  const match = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text);
  return match && { seconds: Number(match[1]), ns: Number((match[2] ?? '').padEnd(9, '0')) };
}

/** "+10": of what? Only zero is the same in all units. */
function lacksUnit(text: string): boolean {
  return /^\+[\d.]+$/.test(text) && Number(text) !== 0;
}

/** Says what is wrong with moments that cannot be parsed, by what was probably meant. `form`: what they must be. */
function wrongMoments(text: string, form: string): string {
  const parts = text.split(',').map((part) => part.trim());
  const without = parts.find(lacksUnit);
  if (without !== undefined) return `${without} has no unit: write ns, us, ms or s, such as ${without}ms`;
  const hasUnit = (part: string) => IS_DURATION.test(part) && /\D$/.test(part);
  if (!parts.some(hasUnit)) return form;
  const meant = parts.map((part) => (hasUnit(part) ? `+${part}` : part)).join(',');
  return `${text} is no time on perf's clock; did you mean ${meant}, from the start?`;
}

/** "/^get_/": a regular expression, as no name begins with a slash. Otherwise an exact name. */
export function parseFunction(text: string): FunctionPattern | null {
  const match = /^\/(.+)\/$/s.exec(text);
  return match === null ? text : expression(match[1]);
}

/** `isRegex`: also without slashes. @throws PtflameError BAD_OPTION for an invalid regular expression */
export function functionArgument(text: string, isRegex: boolean, command: string): FunctionPattern {
  const pattern = isRegex ? expression(text) : parseFunction(text);
  if (pattern !== null) return pattern;
  throw new PtflameError('BAD_OPTION', `${text} is not a valid regular expression`, {
    hint: `see ptflame ${command} --help`,
  });
}

export function expression(text: string): RegExp | null {
  try {
    return new RegExp(text, 'u');
  } catch {
    return null;
  }
}

const BOUNDS = new RegExp(`^(.+)#((?:${DURATION})?,(?:${DURATION})?)$`, 's');

const CALLS = 'must be FUNCTION or FUNCTION#MIN,MAX, such as do_command#10us,1ms';

/** "do_command#10us,1ms". */
function parseCalls(text: string): CallPattern | null {
  const [, name = text, bounds] = BOUNDS.exec(text) ?? [];
  const functions = name === '' ? null : parseFunction(name);
  const durations = bounds === undefined ? {} : parseDurations(bounds);
  return functions === null || durations === null ? null : { functions, ...durations };
}

/** Returns a schema of texts that `parse` accepts, which returns null for invalid ones. */
function parsed<Value>(parse: (text: string) => Value | null, message: string | ((text: string) => string)) {
  return z.string().transform((text, context) => {
    const value = parse(text.trim());
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: typeof message === 'string' ? message : message(text.trim()) });
    return z.NEVER;
  });
}

export const durations = parsed(parseDurations, 'must be MIN,MAX, such as 10us,1ms; either may be omitted');
export const span = parsed(parseDuration, 'must be a duration, such as 10us');
export const moment = parsed(parseMoment, (text) =>
  wrongMoments(text, "must be a time on perf's clock, such as 858572.85, or from the start, such as +10ms"),
);
export const callPattern = parsed(parseCalls, CALLS);
export const functionPattern = parsed(parseFunction, 'must be a function name or /a regular expression/');

/** "begin,write,sync": two functions, events or more. */
export const functionList = parsed((text) => {
  const functions = text.split(',').map((name) => parseFunction(name.trim()));
  const found = functions.filter((pattern) => pattern !== null && pattern !== '') as FunctionPattern[];
  return found.length === functions.length && found.length > 1 ? found : null;
}, 'must be two points or more, such as begin,write,sync');

export const window = parsed(
  (text) => {
    const [from, to, ...more] = text.split(',').map((part) => part.trim());
    if (from === undefined || to === undefined || more.length > 0 || (from === '' && to === '')) return null;
    const [start, end] = [from, to].map((part) => (part === '' ? undefined : parseMoment(part)));
    return start === null || end === null ? null : { from: start ?? null, to: end ?? null };
  },
  (text) => wrongMoments(text, 'must be FROM,TO, such as +10ms,+20ms or 858572.85,858572.9; either may be omitted'),
);

/** For options that may be repeated: all of their texts must be accepted. */
export function parsedList<Value>(parse: (text: string) => Value | null, message: string) {
  return z.array(z.coerce.string()).transform((texts, context) => {
    const found = texts.map(parse).filter((value) => value !== null);
    if (found.length === texts.length) return found;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

export const callPatterns = parsedList(parseCalls, CALLS);
