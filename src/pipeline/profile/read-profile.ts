/**
 * An input in, the profile out that was written to it. Who never calls this never loads what checks it.
 */

import { setImmediate } from 'node:timers/promises';
import { PtflameError } from '../../model/errors.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import type { TraceInput } from '../input/trace-input.js';
import { brokenProfile, tooLargeProfile } from './refusals.js';
import { selectThreads } from './select-threads.js';

export interface ReadProfileOptions {
  /** The threads that are wanted; a name is the thread's last one. */
  readonly select?: Omit<Selection, 'cpus'>;
  readonly signal?: AbortSignal;
}

/** A tree of 20 million nodes, about. */
const MOST_BYTES = 2 ** 30;

/**
 * Reads a profile that `renderJson` wrote. All renderers give the bytes that they gave for the profile itself.
 *
 * @throws PtflameError INPUT_KIND, NEWER_VERSION, PROFILE_DAMAGED, TOO_LARGE; NO_PROCESS_IDS, NO_THREAD_NAMES or
 *   NOTHING_SELECTED; and the reason of `signal`
 */
export async function readProfile(input: TraceInput, options: ReadProfileOptions = {}): Promise<Profile> {
  const { parseProfile } = await import('../../profile-file/read.js');
  const bytes = await readWhole(input, options.signal);
  await setImmediate(); // lets a signal be heard
  options.signal?.throwIfAborted();
  return selectThreads(parseProfile(bytes, input.name), options.select ?? {});
}

async function readWhole({ name, bytes }: TraceInput, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of bytes) {
      signal?.throwIfAborted();
      pieces.push(new Uint8Array(piece)); // a copy: it is good until the next one is asked for
      length += piece.length;
      if (length > MOST_BYTES) throw tooLargeProfile(name, MOST_BYTES);
    }
  } catch (error) {
    if (error instanceof PtflameError || signal?.aborted) throw error;
    throw brokenProfile(name, error);
  }
  return Buffer.concat(pieces, length);
}
