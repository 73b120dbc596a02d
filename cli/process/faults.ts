/**
 * Whatever was thrown → an error that says what is wrong and what to do.
 */
import { PtflameError } from '../../src/text.js';

export const ISSUES = 'https://github.com/ptflame/ptflame/issues';

/** What V8 and Node say when something does not fit into memory, or into the longest string or array that there is. */
const TOO_LARGE_CODES = new Set([
  'ERR_BUFFER_TOO_LARGE',
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_STRING_TOO_LONG',
  'ERR_WORKER_OUT_OF_MEMORY',
]);
const TOO_LARGE =
  /^(?:Array buffer allocation failed|Invalid string length|(?:Map|Set) maximum size exceeded|.*could not allocate memory|.*out of memory)/i;

const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: 'allow more open files: ulimit -n 4096; or name fewer inputs at a time',
  ENFILE: 'the whole machine has too many files open: end what holds them',
  ENOSPC: 'make room, or name another place for temporary files: --temp-dir DIR',
  EDQUOT: 'make room, or name another place for temporary files: --temp-dir DIR',
  ENOMEM: 'give ptflame less to hold: --memory 512M -j 1; or a part of the trace: --tid, --cpu, --window',
  EAGAIN: 'the machine lets ptflame start no more processes or threads: ulimit -u; or use fewer: -j 1',
  EIO: 'the disk or the network failed: dmesg may tell more',
};

/** The same error, if it tells already what to do. */
export function faultOf(error: unknown): PtflameError {
  if (error instanceof PtflameError) return error;
  const { code = '', message = String(error), syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (TOO_LARGE_CODES.has(code) || TOO_LARGE.test(message)) return tooLarge(message, error);
  return syscall === undefined ? faultOfOurs(message, error) : faultOfMachine(code, message, error);
}

function tooLarge(message: string, cause: unknown): PtflameError {
  if (message.includes('Wasm memory'))
    return new PtflameError('SYSTEM', `Node gets too little address space to begin: ${message}`, {
      hint: 'lift the limit of this shell: ulimit -v unlimited; --memory bounds what ptflame really uses',
      cause,
    });
  return new PtflameError('TOO_LARGE', `this does not fit into memory: ${message}`, {
    hint: 'take a part of it: --tid, --pid, --comm, --cpu or --window; or allow more with --memory SIZE',
    cause,
  });
}

/** `message`: as Node writes it, "EMFILE: too many open files, open '/x'". */
function faultOfMachine(code: string, message: string, cause: unknown): PtflameError {
  const what = message.startsWith(`${code}: `) ? `${message.slice(code.length + 2)} (${code})` : message;
  return new PtflameError('SYSTEM', `the system refused what ptflame needs: ${what}`, {
    hint: REMEDIES[code] ?? 'PTFLAME_DEBUG=1 shows where that happened',
    cause,
  });
}

function faultOfOurs(message: string, cause: unknown): PtflameError {
  return new PtflameError('INTERNAL', `internal error: ${message}`, {
    hint: `this is a fault of ptflame: please report it with the command and this message, ${ISSUES}; PTFLAME_DEBUG=1 shows where it is`,
    cause,
  });
}
