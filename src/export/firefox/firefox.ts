/**
 * Turns single calls into a profile for Firefox Profiler, in its processed format: a sample for each change of a thread's
 * stack, weighted with the time until the next one. So its stack chart has every call, and its sums are exact.
 */
import { recordsSwitches } from '../../analysis/tree/outside.js';
import type { CallEvents, LongestCalls } from '../../model/calls/call-events.js';
import { symbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Nanoseconds } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';
import { AsciiWriter } from '../ascii-writer.js';
import { withinThread } from '../within-thread.js';
import { metaOf } from './head.js';
import { sharedPieces, textRowsOf } from './shared.js';
import { Stacks } from './stacks.js';
import { threadPieces } from './threads.js';

const NO_EVENTS: CallEvents = { timeNs: new Float64Array(), node: new Int32Array(), kind: new Uint8Array() };

/** Yields the text as UTF-8. `profile`: each thread has its own tree. */
export function* renderFirefox(profile: Profile, longestCalls: LongestCalls): Generator<string | Uint8Array> {
  const { threads } = profile;
  const { table, rankOf } = symbolOrder(profile);
  const eventsOf = new Map(longestCalls.threads.map((events) => [events.tid, events]));
  const zeroNs = zeroOf(profile);
  const file = {
    zeroNs,
    hasSwitches: threads.some(({ tree }) => recordsSwitches(tree, profile.meta.hasSwitches)),
    commOf: new Map(threads.map(({ tid, comm }) => [tid, comm])),
    rankOf,
    rows: textRowsOf(table),
    stacks: new Stacks(rankOf),
    writer: new AsciiWriter(),
  };
  yield `{"meta":${JSON.stringify(metaOf(profile, longestCalls, zeroNs))},\n`;
  yield `"libs":${JSON.stringify(table.dsoName.map(libraryOf))},\n"threads":[`;
  for (const [row, thread] of threads.entries()) {
    yield row === 0 ? '\n' : ',\n';
    yield* threadPieces(thread, withinThread(eventsOf.get(thread.tid) ?? NO_EVENTS, thread), file);
  }
  yield '],\n"shared":';
  yield* sharedPieces(table, file.stacks, file.writer);
  yield '}\n';
}

/** The start of the recording or of its selected part: it does not depend on which line was read first, as 0 does. */
function zeroOf({ meta, threads }: Profile): Nanoseconds {
  return threads.reduce((first, { startNs }) => Math.min(first, startNs), meta.startNs);
}

/** Without ids of builds: the profile has all names that are known. */
function libraryOf(file: string): object {
  const path = visibleText(file);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { arch: '', name, path, debugName: name, debugPath: path, breakpadId: '', codeId: null };
}
