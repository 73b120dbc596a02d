/**
 * Reads a profile from an input. The code that checks profiles is loaded on the first call.
 */

import { LossKinds } from '../../analysis/losses.js';
import { joined } from '../../codec/bytes.js';
import { nextTurn } from '../../host/turns.js';
import { PtflameError } from '../../model/errors.js';
import { askForMemory } from '../../model/memory.js';
import type { Profile, Quality, ThreadProfile, TraceGap } from '../../model/profile/profile.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import { NONE } from '../../model/units.js';
import { nameSelector, selectsByName } from '../../trace/records/thread-names.js';
import type { TraceInput } from '../open-text.js';
import { noProcessIds, noThreadIds, noThreadNames, nothingSelected } from '../read/refusals.js';
import { TimeSums } from './quality.js';

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
  await nextTurn(); // lets signals arrive
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
  return joined(pieces);
}

/**
 * Returns the profile of the selected threads.
 *
 * @throws PtflameError NO_PROCESS_IDS, NO_THREAD_NAMES, NOTHING_SELECTED, or BAD_OPTION for threads of a merged profile
 */
export function selectThreads(profile: Profile, select: Omit<Selection, 'cpus'>): Profile {
  const { tids, pids } = select;
  if (profile.meta.merged && tids) throw noThreadIds();
  if (pids && profile.threads.every(({ pid }) => pid === null)) throw noProcessIds();
  if (selectsByName(select) && profile.threads.every(({ comm }) => comm === null)) throw noThreadNames();
  const namesOf = ({ comm }: ThreadProfile) => (comm === null ? [] : [comm]);
  const isNamed = nameSelector(select, profile.threads.flatMap(namesOf));
  const threads = profile.threads.filter((thread) => isSelected(thread, select) && isNamed(namesOf(thread)));
  if (threads.length === 0) throw nothingSelected();
  if (threads.length === profile.threads.length) return profile;
  return { ...profile, threads, quality: qualityOfThreads(threads, profile) };
}

function isSelected({ tid, pid }: ThreadProfile, { tids, pids }: Omit<Selection, 'cpus'>): boolean {
  return (!tids || tids.includes(tid)) && (!pids || pids.includes(pid ?? NONE));
}

/** Recomputes times and gaps for these threads; the rest is only known for the recording as a whole, and is kept. */
export function qualityOfThreads(threads: readonly ThreadProfile[], { quality, symbols }: Profile): Quality {
  const tids = new Set(threads.map(({ tid }) => tid));
  const gaps = quality.gaps.filter(({ tid }) => tids.has(tid));
  const times = new TimeSums();
  for (const thread of threads) times.add(thread, symbols.kind);
  return { ...quality, ...lossesOf(gaps), ...times };
}

function lossesOf(gaps: readonly TraceGap[]): Pick<Quality, 'gaps' | 'losses' | 'threadsCut' | 'lostNs'> {
  const losses = new LossKinds();
  for (const gap of gaps) losses.add(gap);
  const threadsCut = new Set(gaps.map(({ tid }) => tid)).size;
  const lostNs = gaps.reduce((sum, { lengthNs }) => sum + lengthNs, 0);
  return { gaps, losses: losses.build(), threadsCut, lostNs };
}

/** No thread has time or calls in the selection. */
export function emptySelection(): PtflameError {
  return new PtflameError('NOTHING_SELECTED', 'nothing matches the selection', {
    hint: "widen --window, --inside or --root: times are on perf's clock, or relative to the start of the recording: +10ms",
  });
}

function brokenProfile(name: string, cause: unknown): PtflameError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PtflameError('PROFILE_DAMAGED', `cannot read all of ${name}: ${why}`, {
    hint: 'create it again from the trace: ptflame render TRACE -o FILE.json',
    cause,
  });
}

function tooLargeProfile(name: string, maxBytes: number): PtflameError {
  return new PtflameError('TOO_LARGE', `${name} is too large: a profile may have at most ${maxBytes} bytes`, {
    hint: 'render the trace itself, or write profiles of fewer threads with --tid',
  });
}
