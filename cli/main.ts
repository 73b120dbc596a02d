/**
 * Runs the command line to its exit code: 0 done, 1 fault of the input or the machine, 2 usage, 3 above a limit,
 * 130 interrupted.
 */

import { removeTemporaryFiles } from './output/temporary-files.js';
import { exitCodeOfSuccess, expectExit, installExitHandlers, reportError } from './process/exit.js';
import { listenForInterrupts } from './process/interrupts.js';
import { run } from './run.js';
import { EXIT } from './usage/exit-codes.js';

/** Rejects at an interrupt, even while the command waits for an input that sends nothing. */
function interruption(interrupt: AbortController): Promise<never> {
  return new Promise((_, reject) => {
    listenForInterrupts(() => {
      interrupt.abort();
      reject(interrupt.signal.reason);
    });
  });
}

export interface Finished {
  readonly exitCode: number;
  /** The name of the command that ran to its end; null if none did. */
  readonly ran: string | null;
}

export async function main(): Promise<Finished> {
  const interrupt = new AbortController();
  installExitHandlers();
  try {
    const interrupted = interruption(interrupt);
    const ran = await Promise.race([run(process.argv.slice(2), interrupt.signal), interrupted]);
    return { exitCode: await exitCodeOfSuccess(), ran };
  } catch (error) {
    await new Promise((turn) => setImmediate(turn)); // the interrupt that ended the work may be handled only now
    return { exitCode: interrupt.signal.aborted ? EXIT.interrupted : reportError(error), ran: null };
  } finally {
    removeTemporaryFiles();
    expectExit();
  }
}
