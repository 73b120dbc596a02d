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

/**
 * Returns what an expression matches of each text: its first group, or all of the match if it has no group; null: nothing.
 *
 * @throws PtflameError BAD_OPTION if it takes too long
 */
export function matchedParts(pattern: RegExp, texts: readonly string[], maxMs = MAX_MS): readonly (string | null)[] {
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')); // each text is matched from its start
  const match = 'texts.map((text) => expression.exec(text)).map((found) => found && (found[1] ?? found[0]))';
  return inTime(pattern, () => runInNewContext(match, { expression, texts }, { timeout: maxMs }));
}

function testAll(pattern: RegExp, names: readonly string[], timeout: number): readonly boolean[] {
  return inTime(pattern, () => {
    return runInNewContext('names.map((name) => pattern.test(name))', { pattern, names }, { timeout });
  });
}

function inTime<Result>(pattern: RegExp, match: () => Result): Result {
  try {
    return match();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new PtflameError('BAD_OPTION', `the expression /${pattern.source}/ takes too long`, {
      hint: 'it backtracks over the same name again and again: avoid a repetition inside a repetition, as in (.*)*',
    });
  }
}
