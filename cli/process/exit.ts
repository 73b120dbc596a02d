/**
 * The last door: whatever ends the program, it ends with words and an exit code, and leaves no half-written file.
 */
import { visibleText as escapeForTerminal, PtflameError } from '../../src/text.js';
import { EXIT } from '../usage/exit-codes.js';
import { faultOf } from './faults.js';

/** Says what went wrong, in one message; returns the exit code. */
export function reportError(error: unknown): number {
  if ((error as NodeJS.ErrnoException | null)?.code === 'EPIPE') return EXIT.done; // the reader went away: `| head`
  const fault = faultOf(error);
  const lines = [
    `ptflame: ${fault.message}`,
    `  ${fault.hint}`,
    ...fault.said.map((line) => `  | ${line}`),
    ...(process.env['PTFLAME_DEBUG'] ? stackOf(fault) : []),
  ];
  process.stderr.write(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''));
  if (fault.code === 'INTERRUPTED') return EXIT.interrupted;
  return fault.code === 'BAD_OPTION' ? EXIT.usage : EXIT.fault;
}

/** Where it was thrown, and where what caused it was. */
function stackOf({ stack = '', cause }: PtflameError): string[] {
  const causes = cause instanceof Error ? ['caused by', ...(cause.stack ?? '').split('\n')] : [];
  return [...stack.split('\n'), ...causes];
}

/** Writes to standard output that nobody waits for fail here. */
let outputFault: unknown = null;

/**
 * Everything that nobody catches comes here: errors in callbacks, promises that nobody waits for, and an end in the middle of the
 * work, when nothing is left that could go on. Temporary files are removed by whoever listens to the exit.
 */
export function installExitHandlers(): void {
  process.stdout.on('error', (error) => {
    outputFault ??= error;
  });
  process.stderr.on('error', () => {}); // there is nobody left to tell
  const end = (error: unknown) => process.exit(reportError(error));
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  process.once('beforeExit', endInTheMiddle);
}

/** Nothing waits for anything, and yet the work is not done: without a word Node would end with 0, or 13. */
function endInTheMiddle(): never {
  process.exit(reportError(new Error('the work stopped in the middle, with nothing left to wait for')));
}

/** The work is done, or its failure told: from now on nothing has to be waited for. */
export function expectExit(): void {
  process.off('beforeExit', endInTheMiddle);
}

/** The exit code of a command that has done its work: standard output may have taken all of it, or not. */
export async function exitCodeOfSuccess(): Promise<number> {
  await new Promise<void>((done) => process.stdout.write('', () => done()));
  if (outputFault === null) return EXIT.done;
  const { code, message } = outputFault as NodeJS.ErrnoException;
  if (code === 'EPIPE') return reportError(outputFault);
  const why = code === 'ENOSPC' ? 'the disk is full' : message;
  const hint = 'send it somewhere else';
  return reportError(
    new PtflameError('OUTPUT_UNWRITABLE', `cannot write standard output: ${why}`, { hint, cause: outputFault }),
  );
}
