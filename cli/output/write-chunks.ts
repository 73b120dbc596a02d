/**
 * Writes text or bytes to a stream in large chunks, and lets signals be handled between them.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { PtflameError } from '../../src/model/errors.js';
import { checkMemory } from '../../src/model/memory.js';
import { unwritable, whyUnwritable } from './unwritable.js';

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
