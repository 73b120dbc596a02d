/**
 * Text or bytes → a stream, in large pieces; between two of them signals are heard.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { PtflameError } from '../../src/index.js';
import { checkMemory } from '../../src/internal.js';

/** Text, or bytes that are made while they are written. */
export type Pieces = Iterable<string> | AsyncIterable<Uint8Array>;

const PIECE_CHARACTERS = 64 * 1024;
/** So long nobody hears Ctrl-C, as far as pieces come meanwhile. */
const LONGEST_TURN_MS = 20;

/** @throws EPIPE if the reader went away; OUTPUT_UNWRITABLE; and what making the pieces throws */
export async function writePieces(
  pieces: Pieces,
  to: NodeJS.WritableStream,
  name: string,
  options: { end: boolean },
): Promise<void> {
  try {
    await pipeline(Readable.from(Symbol.iterator in pieces ? inTurns(pieces) : pieces), to, options);
  } catch (error) {
    if (isBrokenPipe(error) || error instanceof PtflameError) throw error; // the latter of who made the pieces
    throw unwritable(name, whyUnwritable(error), error);
  }
}

/** Large pieces; between two of them a signal is heard, and memory is looked after. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  await setImmediate();
  let text = '';
  let turn = performance.now();
  for (const piece of pieces) {
    text += piece;
    if (performance.now() - turn > LONGEST_TURN_MS) {
      checkMemory();
      await setImmediate();
      turn = performance.now();
    }
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

export function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

export function unwritable(name: string, why: string, cause?: unknown): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${name}: ${why}`, {
    hint: 'choose another place with -o',
    cause,
  });
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
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
