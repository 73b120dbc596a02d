/**
 * Suggests the word that was probably meant by a mistyped one.
 */
import { similarNames } from '../../src/text.js';

/** Shorter words are similar to too many others. */
const MIN_LETTERS = 3;

/** "anotate" or "--annot" → "--annotate"; null if no word is similar. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (bare(word).length < MIN_LETTERS) return null;
  const [nearest] = similarNames(bare(word), known.map(bare));
  return known.find((candidate) => bare(candidate) === nearest) ?? null;
}

function bare(word: string): string {
  return word.replace(/^-+/, '');
}
