/**
 * Turns single calls into a profile for Firefox Profiler, in its processed format: a sample for each change of a thread's
 * stack, weighted with the time until the next one. So its stack chart has every call, and its sums are exact.
 */
import { recordsSwitches } from '../../analysis/tree/outside.js';
import type { CallEvents, LongestCalls } from '../../model/calls/call-events.js';
import { symbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Nanoseconds } from '../../model/units.js';
import { PTFLAME_VERSION } from '../../model/version.js';
import { qualitySummary } from '../../render/quality-summary.js';
import { shellWords, visibleText } from '../../render/visible-text.js';
import { AsciiWriter } from '../ascii-writer.js';
import { leftOutText } from '../left-out.js';
import { wallClock } from '../recorded-at.js';
import { withinThread } from '../within-thread.js';
import { categories } from './categories.js';
import { markerSchema } from './markers.js';
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

/**
 * The first version in which threads share their tables; later versions of the profiler upgrade it
 * (https://github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md).
 */
const PROCESSED_VERSION = 60;
/** Of the format that Firefox itself writes, at that time; not used. */
const GECKO_VERSION = 32;

const NS_PER_MS = 1_000_000n;
/** The shortest time between two samples, in ms: the profiler zooms in no further. */
const INTERVAL_MS = 1e-6;

/**
 * What a profile says about itself: its version, where and when it was recorded, what its colours and markers mean, and
 * what it does not have.
 *
 * Times count from `zeroNs`; without a date, that is in 1970.
 */
function metaOf(profile: Profile, longestCalls: LongestCalls, zeroNs: Nanoseconds): object {
  const { recorded } = profile.meta;
  return {
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    product: 'ptflame',
    importedFrom: `ptflame ${PTFLAME_VERSION}`,
    startTime: inMs(wallClock(profile.meta)?.(zeroNs) ?? 0n),
    interval: INTERVAL_MS,
    sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' },
    processType: 0,
    stackwalk: 1,
    symbolicated: true,
    usesOnlyOneStackType: true,
    sourceCodeIsNotOnSearchfox: true,
    categories,
    markerSchema,
    ...(recorded?.cpu && { CPUName: visibleText(recorded.cpu) }),
    ...(recorded?.kernel && { oscpu: visibleText(`Linux ${recorded.kernel}`) }),
    ...(recorded?.command && { arguments: shellWords(recorded.command) }),
    extra: [{ label: 'ptflame', entries: entriesOf(profile, longestCalls) }],
  };
}

/** A date in nanoseconds has more digits than a number. */
function inMs(ns: bigint): number {
  return Number(ns / NS_PER_MS) + Number(ns % NS_PER_MS) / Number(NS_PER_MS);
}

function entriesOf(profile: Profile, longestCalls: LongestCalls): object[] {
  const { line, damage, warnings, notes } = qualitySummary(profile);
  const entries: readonly (readonly [label: string, value: string | null])[] = [
    ['Left out', leftOutText(longestCalls)],
    ['Selected', profile.meta.part],
    ['Recorded', line],
    ...[...damage, ...warnings].map((text) => ['Warning', text] as const),
    ...notes.map((text) => ['Note', text] as const),
  ];
  return entries.flatMap(([label, value]) =>
    value === null ? [] : [{ label, format: 'string', value: visibleText(value) }],
  );
}
