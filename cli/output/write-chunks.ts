/**
 * Writes text or bytes to a stream in large chunks, and lets signals be handled between them.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { checkMemory } from '../../src/model/memory.js';

/** Texts, or large chunks of bytes. */
export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const CHUNK_CHARACTERS = 64 * 1024;
/** The longest time without handling Ctrl-C, unless producing one chunk takes longer. */
const MAX_TURN_MS = 20;

/** @throws EPIPE if the reader has closed the pipe; OUTPUT_UNWRITABLE; whatever producing the chunks throws */
export async function writeChunks(
  chunks: Chunks,
  to: NodeJS.WritableStream,
  name: string,
  options: { end: boolean },
): Promise<void> {
  try {
    await pipeline(Readable.from(inTurns(chunks)), to, options);
  } catch (error) {
    if (isBrokenPipe(error) || error instanceof PtflameError) throw error; // the latter from producing the chunks
    throw unwritable(name, whyUnwritable(error), error);
  }
}

/** Joins texts into large ones; handles signals and checks memory between them. */
async function* inTurns(chunks: Chunks): AsyncGenerator<string | Uint8Array> {
  await setImmediate();
  let text = '';
  let turn = performance.now();
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') text += chunk;
    const isReady = typeof chunk !== 'string' || text.length >= CHUNK_CHARACTERS;
    if (performance.now() - turn > MAX_TURN_MS) {
      checkMemory();
      await setImmediate();
      turn = performance.now();
    }
    if (!isReady) continue;
    if (text !== '') yield text;
    text = '';
    if (typeof chunk !== 'string') yield chunk;
  }
  if (text !== '') yield text;
}

export function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

/** Must not be reopened: after ">>" that would overwrite the file, and a socket cannot be reopened at all. */
export const STANDARD_OUTPUT = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);
export const STANDARD_OUTPUT_NAME = 'standard output';

export function isStandardOutput(path: string): boolean {
  return STANDARD_OUTPUT.has(path);
}

export function isTerminal(path: string): boolean {
  return STANDARD_OUTPUT.has(path) && process.stdout.isTTY;
}

/** `hint`: for files that an option other than `-o` names. */
export function unwritable(name: string, why: string, cause?: unknown, hint?: string): PtflameError {
  const usual = name === STANDARD_OUTPUT_NAME ? 'redirect it to another file or device' : 'choose another path with -o';
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${name}: ${why}`, { hint: hint ?? usual, cause });
}

export function whyUnwritable(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'its directory does not exist';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'no permission';
    case 'ENOSPC':
      return 'the disk is full';
    case 'EDQUOT':
      return 'the disk quota is used up';
    case 'EFBIG':
      return 'the file would be larger than the limit: ulimit -f';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    default:
      return systemReason(error);
  }
}
