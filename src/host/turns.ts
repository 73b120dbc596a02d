/**
 * Long work: lets others take turns, and ends it when it takes too long or is interrupted.
 */
import { setImmediate } from 'node:timers/promises';
import { type Context, createContext, runInNewContext, Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { PtflameError } from '../model/errors.js';

/** Lets signals and messages arrive. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}

const CALL = new Script('work()');
let context: Context | null = null;
let isWithin = false;

/**
 * Lets Ctrl-C end long work that does not return to the event loop: handlers of signals run only there.
 *
 * Runs `work`. Ctrl-C ends it where it is, without its `finally` blocks, and goes to the process's own handlers then. Workers
 * need no such help: the main thread ends them. @throws PtflameError INTERRUPTED
 */
export function interruptible<Result>(work: () => Result): Result {
  if (!isMainThread || isWithin) return work();
  context ??= createContext({});
  isWithin = true;
  let result: Result | undefined;
  context.work = () => {
    result = work();
  };
  try {
    CALL.runInContext(context, { breakOnSigint: true });
    return result as Result;
  } catch (error) {
    if ((error as { code?: string } | null)?.code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw error;
    process.kill(process.pid, 'SIGINT');
    throw new PtflameError('INTERRUPTED', 'interrupted', { hint: 'nothing was written' });
  } finally {
    isWithin = false;
    context.work = null;
  }
}

const MATCH = 'texts.map((text) => pattern.exec(text))';

/**
 * Returns what an expression finds in each text; null: it takes longer than `maxMs`. Matching cannot be interrupted within its
 * thread, not even by a signal, but in a context of its own it has a time limit.
 */
export function matchesInTime(
  pattern: RegExp,
  texts: readonly string[],
  maxMs: number,
): readonly (readonly (string | undefined)[] | null)[] | null {
  try {
    return runInNewContext(MATCH, { pattern, texts }, { timeout: maxMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return null;
  }
}
