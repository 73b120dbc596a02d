/**
 * Arguments as a shell would take them: for commands to copy, never for commands that we run.
 */

const NEEDS_NO_QUOTES = /^[\w@%+=:,./-]+$/;

/** `["perf", "a b"]` → `perf 'a b'`. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => (NEEDS_NO_QUOTES.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
