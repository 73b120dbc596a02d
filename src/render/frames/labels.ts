/**
 * What stands in a frame: its name and numbers, cut to the room there is, the function's own name last of all.
 */
import { shorterNames } from '../short-names.js';
import { isolated } from './isolated.js';

export interface Label {
  readonly name: string;
  /** Left out one by one, the last one first, before the name is shortened: calls, average. */
  readonly numbers: readonly string[];
}

/** Fewer characters would tell nothing. */
const MIN_WIDTH = 3;

/** `columns`: how many characters of a font of equal widths there is room for. Empty, if nothing useful fits. */
export function fitLabel(label: Label, columns: number): string {
  if (columns < MIN_WIDTH) return '';
  let last = label.name;
  for (const text of candidates(label)) {
    if (textWidth(text) <= columns) return withIsolatedName(text, label.name);
    last = text;
  }
  return isolated(truncate(last.replace(/^…/, ''), columns));
}

function withIsolatedName(text: string, name: string): string {
  return text.startsWith(name) ? isolated(name) + text.slice(name.length) : isolated(text);
}

function* candidates({ name, numbers }: Label): Generator<string> {
  for (let kept = numbers.length; kept >= 0; kept--) yield [name, ...numbers.slice(0, kept)].join(' · ');
  yield* shorterNames(name);
}

/** As much of a text as there is room for. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let cut = '';
  let left = columns - 1; // for the ellipsis
  for (const character of text) {
    left -= textWidth(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

// Chinese, Japanese, Korean, and pictures: two columns. Everything else is one, or less where marks are combined.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

/** In columns of a font of equal widths. */
export function textWidth(text: string): number {
  const characters = [...text].length;
  return characters === text.length && !/[\u1100-\uffff]/.test(text)
    ? characters
    : characters + (text.match(WIDE)?.length ?? 0);
}
