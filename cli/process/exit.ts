/**
 * Ends the program with one message and an exit code, also after uncaught errors.
 */

import { PtflameError } from '../../src/model/errors.js';
import { visibleText as escapeForTerminal } from '../../src/render/visible-text.js';
import { fitted } from '../terminal/width.js';
import { EXIT } from '../usage/exit-codes.js';

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

/** Turns any thrown value into a PtflameError, with what is wrong and what to do. */
export const ISSUES = 'https://github.com/ptflame/ptflame/issues';

/** Errors of V8 and Node for data that exceeds memory, or the maximum length of a string or array. */
const TOO_LARGE_CODES = new Set([
  'ERR_BUFFER_TOO_LARGE',
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_STRING_TOO_LONG',
  'ERR_WORKER_OUT_OF_MEMORY',
]);
const TOO_LARGE =
  /^(?:Array buffer allocation failed|Invalid string length|(?:Map|Set) maximum size exceeded|.*could not allocate memory|.*out of memory)/i;
/** V8 reserves the addresses of a WebAssembly memory before it uses any of them. */
const ADDRESS_SPACE = /Wasm memory|WebAssembly\.Memory/;

const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: 'allow more open files: ulimit -n 4096; or name fewer inputs at a time',
  ENFILE: 'too many files are open on this machine: stop processes that hold them',
  ENOSPC: 'free disk space, or choose another directory for temporary files: --temp-dir DIR',
  EDQUOT: 'free disk space, or choose another directory for temporary files: --temp-dir DIR',
  ENOMEM: 'let ptflame use less memory: --memory 512M -j 1; or select a part of the trace: --tid, --cpu, --window',
  EAGAIN: 'raise the limit of processes and threads: ulimit -u; or use fewer: -j 1',
  EIO: 'the disk or the network failed: see dmesg',
};

/** Returns a PtflameError as it is, and wraps other errors. */
export function toPtflameError(error: unknown): PtflameError {
  if (error instanceof PtflameError) return error;
  const { code = '', message = String(error), syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (TOO_LARGE_CODES.has(code) || TOO_LARGE.test(message)) return tooLarge(message, error);
  return syscall === undefined ? internalFault(message, error) : systemFault(code, message, error);
}

function tooLarge(message: string, cause: unknown): PtflameError {
  if (ADDRESS_SPACE.test(message))
    return new PtflameError('SYSTEM', `not enough address space to start: ${message}`, {
      hint: 'remove the limit in this shell: ulimit -v unlimited; --memory limits what ptflame really uses',
      cause,
    });
  return new PtflameError('TOO_LARGE', `the data does not fit into memory: ${message}`, {
    hint: 'select a part: --tid, --pid, --comm, --cpu or --window; or allow more memory: --memory SIZE',
    cause,
  });
}

/** `message`: as Node writes it, "EMFILE: too many open files, open '/x'". */
function systemFault(code: string, message: string, cause: unknown): PtflameError {
  const what = message.startsWith(`${code}: `) ? `${message.slice(code.length + 2)} (${code})` : message;
  return new PtflameError('SYSTEM', `system error: ${what}`, {
    hint: REMEDIES[code] ?? 'PTFLAME_DEBUG=1 shows where it happened',
    cause,
  });
}

function internalFault(message: string, cause: unknown): PtflameError {
  return new PtflameError('INTERNAL', `internal error: ${message}`, {
    hint: `this is a bug in ptflame: please report the command and this message at ${ISSUES}; PTFLAME_DEBUG=1 shows where it happened`,
    cause,
  });
}
