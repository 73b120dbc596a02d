/**
 * A mistyped word in, the one that was probably meant out.
 */
import { distance } from 'fastest-levenshtein';

/** Of this share of its letters at most was mistyped what is still taken for a known word. */
const LARGEST_SHARE = 0.4;
/** Fewer letters are the beginning of too much. */
const LEAST_BEGINNING = 3;

/** "anotate" → "--annotate", "--annot" likewise; null if nothing known is near. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const typed = bare(word);
  const near = known
    .map((candidate) => ({ candidate, errors: distance(typed, bare(candidate)) }))
    .filter(({ candidate, errors }) => errors <= LARGEST_SHARE * Math.max(typed.length, bare(candidate).length))
    .sort((a, b) => a.errors - b.errors);
  const longer = typed.length < LEAST_BEGINNING ? [] : known.filter((candidate) => bare(candidate).startsWith(typed));
  return near[0]?.candidate ?? longer[0] ?? null;
}

function bare(word: string): string {
  return word.replace(/^-+/, '').toLowerCase();
}
