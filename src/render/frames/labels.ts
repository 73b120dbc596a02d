/**
 * Fits the label of a frame to its width: drops numbers first, then shortens the name.
 */
import { shorterNames } from '../short-names.js';
import { isolated } from './isolated.js';

export interface Label {
  readonly name: string;
  /** Calls and average; dropped from the end before the name is shortened. */
  readonly numbers: readonly string[];
}

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

function* candidates({ name, numbers }: Label): Generator<string> {
  for (let kept = numbers.length; kept >= 0; kept--) yield [name, ...numbers.slice(0, kept)].join(' · ');
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
