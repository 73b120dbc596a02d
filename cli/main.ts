/**
 * Arguments in, exit code out: 0 done, 1 the input or the machine is at fault, 2 usage, 130 interrupted.
 */
import { PROGRAM } from './commands.js';
import { listenToInterrupts } from './interrupts.js';
import { closeLastDoor, exitCodeOfDone, openLastDoor, report } from './last-door.js';
import { removeTemporaryFiles } from './temporary-files.js';
import { EXIT } from './usage/exit-codes.js';
import { invocationOf } from './usage/invocation.js';

/** Rejects when the user or the machine wants us to stop, even while we wait for an input that stays silent. */
function interruption(interrupt: AbortController): Promise<never> {
  return new Promise((_, reject) => {
    listenToInterrupts(() => {
      interrupt.abort();
      reject(interrupt.signal.reason);
    });
  });
}

async function run(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const asked = invocationOf(argv, PROGRAM.commands);
  if (asked.kind === 'version') return (await import('./commands/about.js')).version();
  if (asked.kind === 'help') return (await import('./commands/about.js')).help(asked.command, { man: false }, PROGRAM);
  const { command, values, toRun } = asked;
  if (values['noColor'] === true) process.env['NO_COLOR'] = '1';
  await command.run(values, signal, toRun);
}

async function main(): Promise<number> {
  const interrupt = new AbortController();
  openLastDoor();
  try {
    const interrupted = interruption(interrupt);
    await Promise.race([run(process.argv.slice(2), interrupt.signal), interrupted]);
    return await exitCodeOfDone();
  } catch (error) {
    return interrupt.signal.aborted ? EXIT.interrupted : report(error);
  } finally {
    removeTemporaryFiles();
    closeLastDoor();
  }
}

const exitCode = await main();
if (exitCode !== EXIT.done) process.exit(exitCode); // standard input may still be open
