/**
 * Long work: lets others take turns, and ends it when it takes too long or is interrupted.
 */
import { setImmediate } from 'node:timers/promises';
import { type Context, createContext, runInNewContext, Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { PtflameError } from '../model/errors.js';

/** Lets signals and messages arrive: the event loop looks for them between two turns, not always before the first. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
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
export async function interruptible<Result>(work: () => Result): Promise<Result> {
  if (isMainThread) context ??= createContext({}); // takes a while
  await nextTurn(); // a signal that waits for its turn is handled now: Node forgets it when such work begins
  return interruptibleNow(work);
}

/**
 * As `interruptible`, for work that cannot wait for a turn: call `nextTurn` before it where that is possible. Until it
 * runs, for a fraction of a millisecond, a Ctrl-C is still forgotten, and just after it ends the program at once.
 */
export function interruptibleNow<Result>(work: () => Result): Result {
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
