/**
 * A regular expression that someone wrote in, what it finds out: it cannot keep us busy for ever.
 */
import { runInNewContext } from 'node:vm';
import { PtflameError } from '../../model/errors.js';

/** A million names take a quarter of a second; an expression that backtracks without end takes for ever. */
const MOST_MS = 5000;

/**
 * Tells which of these names an expression finds. Matching cannot be stopped from the thread it runs in, by no signal, but
 * in a context of its own it has a time limit.
 *
 * @throws PtflameError BAD_OPTION if that takes too long
 */
export function nameMatcher(pattern: RegExp, names: Iterable<string>, mostMs = MOST_MS): (name: string) => boolean {
  const all = [...new Set(names)];
  const isFound = tried(pattern, all, mostMs);
  const found = new Set(all.filter((_, index) => isFound[index]));
  return (name) => found.has(name);
}

function tried(pattern: RegExp, names: readonly string[], timeout: number): readonly boolean[] {
  try {
    return runInNewContext('names.map((name) => pattern.test(name))', { pattern, names }, { timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new PtflameError('BAD_OPTION', `the expression /${pattern.source}/ takes too long`, {
      hint: 'it goes back over a name again and again: write it without a repetition inside of a repetition, as (.*)*',
    });
  }
}
