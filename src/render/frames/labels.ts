/**
 * Fits the label of a frame to its width: drops numbers first, then shortens the name.
 */

import { INLINED_SUFFIX } from '../../model/symbol-table.js';
import { isolated } from '../visible-text.js';

export interface Label {
  readonly name: string;
  /** Calls and average; dropped from the end before the name is shortened. */
  readonly numbers: readonly string[];
  /** Between them; default: " · ". */
  readonly separator?: string;
  /** At the right end of the frame, if there is room for all of the label; empty or absent: nothing. */
  readonly end?: string;
}

/** Between a label and what is at the right end, in characters. */
const END_GAP = 2;

/** Returns what is at the right end of a frame; empty: there is no room for it. */
export function fitEnd({ name, numbers, separator = JOINT, end = '' }: Label, width: number): string {
  const label = [name, ...numbers].join(separator);
  return end !== '' && textWidth(label) + END_GAP + textWidth(end) <= width ? end : '';
}

const JOINT = ' · ';

/** Narrower labels would be useless. */
const MIN_WIDTH = 3;

/** Returns the longest text that fits; empty if nothing useful does. `width`: in characters of a monospace font. */
export function fitLabel(label: Label, width: number): string {
  if (width < MIN_WIDTH) return '';
  let last = label.name;
  for (const text of candidates(label)) {
    if (textWidth(text) <= width) return withIsolatedName(text, label.name);
    last = text;
  }
  return isolated(truncate(last.replace(/^…/, ''), width));
}

function withIsolatedName(text: string, name: string): string {
  return text.startsWith(name) ? isolated(name) + text.slice(name.length) : isolated(text);
}

function* candidates({ name, numbers, separator = JOINT }: Label): Generator<string> {
  for (let kept = numbers.length; kept >= 0; kept--) yield [name, ...numbers.slice(0, kept)].join(separator);
  yield* shorterNames(name);
}

/** Cuts a text at the end if it is wider. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = '';
  let left = width - 1; // for the ellipsis
  for (const character of text) {
    left -= textWidth(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

// Chinese, Japanese, Korean and emoji are two wide. Everything else is one wide, or less with combining marks.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

/** Returns the width of a text in characters of a monospace font. */
export function textWidth(text: string): number {
  const characters = [...text].length;
  return characters === text.length && !/[\u1100-\uffff]/.test(text)
    ? characters
    : characters + (text.match(WIDE)?.length ?? 0);
}

/** With more levels of nested brackets, only the outer levels are emptied one per step. */
const MAX_STEPS = 6;

/** The hash that Rust appends to distinguish crates. */
const HASH = /::h[0-9a-f]{16}$/;

/** A function without a symbol: only its address distinguishes it from others in its file. */
const ADDRESS = /^\[.+([+ ]0x[\da-f]+)\]$/;

const MIN_DIGITS = 2;

/**
 * Shortens the name of a function step by step: first the template arguments, then the enclosing scopes.
 *
 *     ns::Map<std::pair<int, char>>::find<int>
 *     ns::Map<std::pair<…>>::find<int>
 *     ns::Map<…>::find<…>
 *     …Map<…>::find<…>
 *     …find<…>
 *
 * Yields names, each shorter than the one before; the last is the function's own name.
 */
export function* shorterNames(name: string): Generator<string> {
  if (!name.endsWith(INLINED_SUFFIX)) return yield* shorterFunctions(name);
  for (const shorter of shorterFunctions(name.slice(0, -INLINED_SUFFIX.length))) yield shorter + INLINED_SUFFIX;
}

function* shorterFunctions(name: string): Generator<string> {
  let last = name;
  const address = ADDRESS.exec(name)?.[1];
  if (address !== undefined) return yield* shorterAddresses(address);
  const bare = name.replace(HASH, '');
  for (const shorter of [bare, ...collapsed(bare), ...unqualified(fullyCollapsed(bare))]) {
    if (shorter.length >= last.length) continue;
    yield shorter;
    last = shorter;
  }
}

/** Keeps the last digits: the first ones are the same for the whole file. */
function* shorterAddresses(address: string): Generator<string> {
  yield `[…${address}]`;
  for (let left = address.length - 3; left >= MIN_DIGITS; left--) yield `…${address.slice(-left)}`;
}

/** The offsets of a pair of brackets and its nesting depth. */
interface Brackets {
  readonly open: number;
  readonly close: number;
  readonly depth: number;
}

interface Structure {
  readonly brackets: readonly Brackets[];
  /** Offsets where the name can start when enclosing scopes are left out. */
  readonly starts: readonly number[];
}

const CLOSING: Readonly<Record<string, string>> = { '<': '>', '(': ')', '[': ']', '{': '}' };

// "operator<" is a name. After "operator bool" and "operator ns::Type", no scopes follow.
const OPERATOR = /(?<![\w$])operator(?:<=>|<<=?|>>=?|[<>]=?|->\*?|\(\)|\[\]|[-+*/%^&|=!~,]+|(?![\w$]))/y;
const SEPARATOR =
  /::|\/|(?<=.)\.(?=[A-Za-z_(])(?!(?:func\d|part|isra|constprop|cold|llvm|lto_priv|localalias|c|cc|cpp|cxx|so|init)\b)/y;

function structureOf(name: string): Structure {
  const brackets: Brackets[] = [];
  const starts: number[] = [];
  const open: number[] = [];
  let isDeclared = false;
  for (let at = 0; at < name.length; at++) {
    const character = name[at] as string;
    const operator = matchAt(OPERATOR, name, at);
    if (operator !== '') {
      at += operator.length - 1;
      isDeclared ||= operator === 'operator';
    } else if (name.startsWith('->', at)) at++;
    else if (character in CLOSING) open.push(at);
    else if (open.length > 0 && character === CLOSING[name[open.at(-1) as number] as string])
      brackets.push({ open: open.pop() as number, close: at, depth: open.length });
    else if ('>)]}'.includes(character)) return { brackets: [], starts: [] };
    else if (open.length === 0 && !isDeclared) {
      const separator = matchAt(SEPARATOR, name, at);
      if (separator !== '' && at + separator.length < name.length) starts.push(at + separator.length);
      at += Math.max(separator.length - 1, 0);
    }
  }
  return open.length > 0 ? { brackets: [], starts: [] } : { brackets, starts };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Empties brackets, the innermost first. */
function* collapsed(name: string): Generator<string> {
  const { brackets } = structureOf(name);
  const emptied = brackets.filter((pair) => isCollapsible(name, pair));
  const depths = [...new Set(emptied.map(({ depth }) => depth))].sort((a, b) => b - a).slice(-MAX_STEPS);
  for (const minDepth of depths)
    yield emptyBrackets(
      name,
      emptied.filter(({ depth }) => depth >= minDepth),
    );
  const [self] = brackets.filter(({ open, depth }) => open === 0 && depth === 0 && name[0] === '<');
  if (self === undefined) return;
  const nested = emptied.filter(({ depth }) => depth > 0);
  yield withShortPaths(emptyBrackets(name, nested));
}

function fullyCollapsed(name: string): string {
  return [...collapsed(name)].at(-1) ?? name;
}

/** Whether brackets may be emptied: arguments matter less than the name, but Go's "(*T)" and "{closure}" are part of it. */
function isCollapsible(name: string, { open, close, depth }: Brackets): boolean {
  if (close - open < 3 || name[open + 1] === '*') return false;
  if (name[open] === '(') return !name.startsWith('(anonymous', open);
  return name[open] === '<' && !(open === 0 && depth === 0);
}

function emptyBrackets(name: string, emptied: readonly Brackets[]): string {
  let text = '';
  let at = 0;
  for (const { open, close } of emptied.toSorted((a, b) => a.open - b.open)) {
    if (open < at) continue; // inside emptied brackets
    text += `${name.slice(at, open + 1)}…`;
    at = close;
  }
  return text + name.slice(at);
}

/** Shortens Rust's "<alloc::vec::Vec<…> as core::ops::Drop>::drop" to "<Vec<…> as Drop>::drop". */
function withShortPaths(name: string): string {
  const end = structureOf(name).brackets.find(({ open, depth }) => open === 0 && depth === 0)?.close ?? 0;
  return name.slice(0, end).replace(/(?:[\w$]+::)+/g, '') + name.slice(end);
}

function* unqualified(name: string): Generator<string> {
  for (const beginning of structureOf(name).starts) yield `…${name.slice(beginning)}`;
}
