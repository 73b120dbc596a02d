/**
 * A mistyped command or flag in, the one that was probably meant out.
 */
import { distance } from 'fastest-levenshtein';

/** Of this share of its letters at most was mistyped what is still taken for a known word. */
const LARGEST_SHARE = 0.4;

/** "anotate" → "--annotate"; null if nothing known is near. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const near = known
    .map((candidate) => ({ candidate, errors: distance(bare(word), bare(candidate)) }))
    .filter(({ candidate, errors }) => errors <= LARGEST_SHARE * Math.max(bare(word).length, bare(candidate).length))
    .sort((a, b) => a.errors - b.errors);
  return near[0]?.candidate ?? null;
}

function bare(word: string): string {
  return word.replace(/^-+/, '');
}
