/**
 * Reads a profile from an input. The code that checks profiles is loaded on the first call.
 */

import { setImmediate } from 'node:timers/promises';
import { PtflameError } from '../../model/errors.js';
import { askForMemory } from '../../model/memory.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import type { TraceInput } from '../input/trace-input.js';
import { brokenProfile, tooLargeProfile } from './refusals.js';
import { selectThreads } from './select-threads.js';

export interface ReadProfileOptions {
  /** The threads to keep; `comm` matches a thread's last name. */
  readonly select?: Omit<Selection, 'cpus'>;
  readonly signal?: AbortSignal;
}

/** About 20 million nodes. */
const MAX_BYTES = 2 ** 30;

/**
 * Reads a profile that `renderJson` wrote. All renderers produce the same bytes for it as for the original profile.
 *
 * @throws PtflameError INPUT_KIND, NEWER_VERSION, PROFILE_DAMAGED, TOO_LARGE; NO_PROCESS_IDS, NO_THREAD_NAMES or
 *   NOTHING_SELECTED; and the reason of `signal`
 */
export async function readProfile(input: TraceInput, options: ReadProfileOptions = {}): Promise<Profile> {
  const { parseProfile } = await import('../../profile-file/read.js');
  const bytes = await readWhole(input, options.signal);
  await setImmediate(); // lets signals arrive
  options.signal?.throwIfAborted();
  return selectThreads(parseProfile(bytes, input.name), options.select ?? {});
}

async function readWhole({ name, bytes }: TraceInput, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of bytes) {
      signal?.throwIfAborted();
      askForMemory(piece.length);
      pieces.push(new Uint8Array(piece)); // a copy: a piece is valid only until the next one is read
      length += piece.length;
      if (length > MAX_BYTES) throw tooLargeProfile(name, MAX_BYTES);
    }
  } catch (error) {
    if (error instanceof PtflameError || signal?.aborted) throw error;
    throw brokenProfile(name, error);
  }
  askForMemory(length);
  return Buffer.concat(pieces, length);
}
