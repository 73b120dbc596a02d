/**
 * A word that was mistyped → those that were probably meant: functions, options, commands.
 */
import { distance } from 'fastest-levenshtein';
import { compareUtf8 } from '../model/names/utf8-order.js';

const MAX_NAMES = 3;
/** Of this share of its letters at most was mistyped what is still taken for a known name. */
const MAX_ERROR_SHARE = 0.4;

/** Names that hold the wanted one come first, the shortest of them first; then those that are spelled almost like it. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const typed = wanted.toLowerCase();
  const ranked = [...new Set(names)].flatMap((name) => {
    const rank = rankOf(typed, name.toLowerCase());
    return rank === null ? [] : [{ name, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || compareUtf8(a.name, b.name));
  return ranked.slice(0, MAX_NAMES).map(({ name }) => name);
}

/** How many letters differ, of the name or of its last part: "wrker" means "Pool::worker" too. null: too many. */
function rankOf(typed: string, name: string): number | null {
  if (name.includes(typed)) return 0;
  const spelled = [name, name.split('::').at(-1) as string].filter((each) => canMatch(typed, each));
  const errors = Math.min(...spelled.map((each) => distance(typed, each)));
  return errors <= MAX_ERROR_SHARE * typed.length ? errors : null;
}

/** Each letter that one has more than the other is an error: most names need no closer look. */
function canMatch(typed: string, name: string): boolean {
  return Math.abs(typed.length - name.length) <= MAX_ERROR_SHARE * typed.length;
}
