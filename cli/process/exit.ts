/**
 * Ends the program with one message and an exit code, also after uncaught errors.
 */

import { PtflameError } from '../../src/model/errors.js';
import { visibleText as escapeForTerminal } from '../../src/render/visible-text.js';
import { fitted } from '../terminal/width.js';
import { EXIT } from '../usage/exit-codes.js';
import { toPtflameError } from './faults.js';

/** Prints one message about an error and returns the exit code. */
export function reportError(error: unknown): number {
  if ((error as NodeJS.ErrnoException | null)?.code === 'EPIPE') return EXIT.done; // the reader has closed the pipe: `| head`
  const fault = toPtflameError(error);
  const lines = [
    `ptflame: ${fault.message}`,
    `  ${fault.hint}`,
    ...fault.output.map((line) => `  | ${line}`),
    ...(process.env['PTFLAME_DEBUG'] ? stackLines(fault) : []),
  ];
  process.stderr.write([...fitted(lines.map(escapeForTerminal), process.stderr), ''].join('\n'));
  if (fault.code === 'INTERRUPTED') return EXIT.interrupted;
  if (fault.code === 'ABOVE_LIMIT') return EXIT.aboveLimit;
  return fault.code === 'BAD_OPTION' ? EXIT.usage : EXIT.fault;
}

/** Returns the stack traces of the error and of its cause. */
function stackLines({ stack = '', cause }: PtflameError): string[] {
  const causes = cause instanceof Error ? ['caused by', ...(cause.stack ?? '').split('\n')] : [];
  return [...stack.split('\n'), ...causes];
}

/** The first failure of a write to standard output that no code awaits. */
let outputFault: unknown = null;

/**
 * Reports errors in callbacks, unhandled rejections, and an exit of Node in the middle of the work because no event is
 * pending. Temporary files have their own `exit` listener.
 */
export function installExitHandlers(): void {
  process.stdout.on('error', (error) => {
    outputFault ??= error;
  });
  process.stderr.on('error', () => {}); // cannot be reported anywhere
  const end = (error: unknown) => process.exit(reportError(error));
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  process.once('beforeExit', exitUnfinished);
}

/** Without this, Node would exit silently with 0 or 13. */
function exitUnfinished(): never {
  process.exit(reportError(new Error('the work stopped halfway: no event is pending')));
}

/** Call this when the work is done or its failure reported: from now on Node may exit. */
export function expectExit(): void {
  process.off('beforeExit', exitUnfinished);
}

/** Returns the exit code of a command that succeeded: a fault if standard output could not be written. */
export async function exitCodeOfSuccess(): Promise<number> {
  await new Promise<void>((done) => process.stdout.write('', () => done()));
  if (outputFault === null) return EXIT.done;
  const { code, message } = outputFault as NodeJS.ErrnoException;
  if (code === 'EPIPE') return reportError(outputFault);
  const why = code === 'ENOSPC' ? 'the disk is full' : message;
  const hint = 'redirect it to another file or device';
  return reportError(
    new PtflameError('OUTPUT_UNWRITABLE', `cannot write standard output: ${why}`, { hint, cause: outputFault }),
  );
}
