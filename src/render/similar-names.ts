/**
 * Suggests names for a mistyped word: functions, options, commands.
 */
import { distance } from 'fastest-levenshtein';
import { compareUtf8 } from '../model/symbol-table.js';

const MAX_NAMES = 3;
/** Maximum share of mistyped letters in a word that still matches a name. */
const MAX_ERROR_SHARE = 0.4;

/** Returns names that contain the wanted one, the shortest first; then names with similar spelling. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const typed = wanted.toLowerCase();
  const ranked = [...new Set(names)].flatMap((name) => {
    const rank = rankOf(typed, name.toLowerCase());
    return rank === null ? [] : [{ name, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || compareUtf8(a.name, b.name));
  return ranked.slice(0, MAX_NAMES).map(({ name }) => name);
}

/** Returns the edit distance to the name or its last part ("wrker" matches "Pool::worker", too); null if too large. */
function rankOf(typed: string, name: string): number | null {
  if (name.includes(typed)) return 0;
  const spelled = [name, name.split('::').at(-1) as string].filter((each) => canMatch(typed, each));
  const errors = Math.min(...spelled.map((each) => distance(typed, each)));
  return errors <= MAX_ERROR_SHARE * typed.length ? errors : null;
}

/** Rules out names by length, which is cheap: each missing or extra letter is an error. */
function canMatch(typed: string, name: string): boolean {
  return Math.abs(typed.length - name.length) <= MAX_ERROR_SHARE * typed.length;
}
