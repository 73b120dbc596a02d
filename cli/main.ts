/**
 * Runs the command line and exits: 0 done, 1 fault of the input or the machine, 2 usage, 130 interrupted.
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

async function main(): Promise<number> {
  const interrupt = new AbortController();
  installExitHandlers();
  try {
    const interrupted = interruption(interrupt);
    await Promise.race([run(process.argv.slice(2), interrupt.signal), interrupted]);
    return await exitCodeOfSuccess();
  } catch (error) {
    return interrupt.signal.aborted ? EXIT.interrupted : reportError(error);
  } finally {
    removeTemporaryFiles();
    expectExit();
  }
}

const exitCode = await main();
if (exitCode !== EXIT.done) process.exit(exitCode); // standard input may still be open
