/**
 * Matches names against a user's regular expression, with a time limit.
 */
import { runInNewContext } from 'node:vm';
import { PtflameError } from '../../model/errors.js';

/** A million names take a quarter of a second, catastrophic backtracking forever. */
const MAX_MS = 5000;

/**
 * Returns a predicate: whether an expression matches one of these names. Matching cannot be interrupted within its
 * thread, not even by a signal, but in a context of its own it has a time limit.
 *
 * @throws PtflameError BAD_OPTION if it takes too long
 */
export function nameMatcher(pattern: RegExp, names: Iterable<string>, maxMs = MAX_MS): (name: string) => boolean {
  const all = [...new Set(names)];
  const isFound = testAll(pattern, all, maxMs);
  const found = new Set(all.filter((_, index) => isFound[index]));
  return (name) => found.has(name);
}

function testAll(pattern: RegExp, names: readonly string[], timeout: number): readonly boolean[] {
  try {
    return runInNewContext('names.map((name) => pattern.test(name))', { pattern, names }, { timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new PtflameError('BAD_OPTION', `the expression /${pattern.source}/ takes too long`, {
      hint: 'it backtracks over the same name again and again: avoid a repetition inside a repetition, as in (.*)*',
    });
  }
}
