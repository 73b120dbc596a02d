/**
 * Lets Ctrl-C end long work that does not return to the event loop: handlers of signals run only there.
 */
import { type Context, createContext, Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { PtflameError } from '../../model/errors.js';

const CALL = new Script('work()');
let context: Context | null = null;
let isWithin = false;

/**
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
