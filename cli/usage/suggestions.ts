/**
 * A mistyped word in, the one that was probably meant out.
 */
import { similarNames } from '../../src/text.js';

/** Fewer letters are in too many words. */
const LEAST_LETTERS = 3;

/** "anotate" → "--annotate", "--annot" likewise; null if nothing known is near. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (bare(word).length < LEAST_LETTERS) return null;
  const [nearest] = similarNames(bare(word), known.map(bare));
  return known.find((candidate) => bare(candidate) === nearest) ?? null;
}

function bare(word: string): string {
  return word.replace(/^-+/, '');
}
