/**
 * Turns single calls into a profile for Firefox Profiler, in its processed format: a sample for each change of a thread's
 * stack, weighted with the time until the next one. So its stack chart has every call, and its sums are exact.
 */
import { isLost, isOffCpu, recordsSwitches } from '../analysis/tree/outside.js';
import { type CallEvents, isBeginning, type LongestCalls } from '../model/calls/call-events.js';
import { ROOT } from '../model/calls/call-tree.js';
import { float64Column, int32Column } from '../model/columns.js';
import { symbolOrder } from '../model/profile/file-order.js';
import type { Profile, ThreadProfile } from '../model/profile/profile.js';
import { type Nanoseconds, NONE, type NodeId, type Tid } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import { qualitySummary } from '../render/quality-summary.js';
import { shellWords, visibleText } from '../render/visible-text.js';
import { AsciiWriter } from './ascii-writer.js';
import {
  type Column,
  categories,
  categoryNumber,
  MARKERS,
  MarkerKind,
  type Markers,
  markerSchema,
  markersOf,
  numberOrNull,
  Stacks,
  sharedPieces,
  type TextRows,
  tablePieces,
  textRowsOf,
} from './firefox-tables.js';
import { leftOutText, threadName, wallClock, withinThread } from './shared.js';

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

// Writes a thread of Firefox Profiler: its samples and markers.

/** What the threads of a file have in common. */
interface FileOfThreads {
  /** The profile's time that is 0 in the file. */
  readonly zeroNs: Nanoseconds;
  /** The trace records when threads lost their CPU. */
  readonly hasSwitches: boolean;
  readonly commOf: ReadonlyMap<Tid, string | null>;
  /** By symbol. */
  readonly rankOf: Int32Array;
  readonly rows: TextRows;
  readonly stacks: Stacks;
  readonly writer: AsciiWriter;
}

function* threadPieces(thread: ThreadProfile, events: CallEvents, file: FileOfThreads): Generator<string | Uint8Array> {
  const { stacks, writer } = file;
  yield JSON.stringify(headOf(thread, file)).slice(0, -1);
  yield ',\n"samples":';
  const samples = samplesOf(events, stacks.of(thread.tree), thread);
  yield* tablePieces(sampleColumns(samples, file), samples.stack.length, writer, '"weightType":"tracing-ms",');
  yield ',\n"markers":';
  const markers = markersOf(events, thread.tree.symbol);
  yield* tablePieces(markerColumns(markers, file), markers.kind.length, writer);
  yield '}';
}

const MS_PER_NS = 1e-6;

/** A thread of an unknown process is a process of its own. */
function headOf({ tid, pid, comm, startNs, endNs }: ThreadProfile, { zeroNs, commOf }: FileOfThreads): object {
  const name = comm === null ? threadName({ tid, comm }) : visibleText(comm);
  const process = commOf.get(pid ?? tid) ?? null;
  return {
    processType: 'default',
    processName: process === null ? `process ${pid ?? tid}` : visibleText(process),
    processStartupTime: 0,
    processShutdownTime: null,
    registerTime: (startNs - zeroNs) * MS_PER_NS,
    unregisterTime: (endNs - zeroNs) * MS_PER_NS,
    pausedRanges: [],
    name,
    isMainThread: (pid ?? tid) === tid,
    pid: String(pid ?? tid),
    tid,
  };
}

function sampleColumns(
  { stack, timeNs }: Samples,
  { zeroNs, stacks, hasSwitches }: FileOfThreads,
): Readonly<Record<string, Column>> {
  const last = timeNs.length - 1;
  const lengthOf = (row: number): Nanoseconds => timeNs[Math.min(row + 1, last)] - timeNs[row];
  const cpuNs = (row: number): Nanoseconds => (isOnCpu(stack[row], stacks) ? lengthOf(row) : 0);
  return {
    stack: (row, to) => numberOrNull(stack[row], to),
    time: (row, to) => to.ms(timeNs[row] - zeroNs),
    weight: (row, to) => to.ms(lengthOf(row)),
    // since the sample before
    ...(hasSwitches && { threadCPUDelta: (row, to) => to.number(row === 0 ? 0 : cpuNs(row - 1)) }),
  };
}

function isOnCpu(stack: number, stacks: Stacks): boolean {
  if (stack === NONE) return false;
  const special = stacks.frameOf(stack); // their ranks are their rows
  return !isOffCpu(special) && !isLost(special);
}

/** The profiler's name for markers with a start and an end. */
const INTERVAL = '1';

function markerColumns(
  { kind, symbol, startNs, endNs }: Markers,
  { rows, rankOf, zeroNs }: FileOfThreads,
): Readonly<Record<string, Column>> {
  const lost = categoryNumber('Lost');
  return {
    data: (row, to) => {
      const isCut = kind[row] === MarkerKind.Cut;
      to.text(`{"type":"${MARKERS[isCut ? MarkerKind.Cut : MarkerKind.Lost].name}"`);
      if (isCut) to.text(`,"function":${rankOf[symbol[row]]}`);
      to.text('}');
    },
    name: (row, to) => to.number(rows.marker + kind[row]),
    startTime: (row, to) => to.ms(startNs[row] - zeroNs),
    endTime: (row, to) => to.ms(endNs[row] - zeroNs),
    phase: INTERVAL,
    category: (row, to) => to.number(kind[row] === MarkerKind.Lost ? lost : 0),
  };
}

/**
 * Turns the calls of a thread into samples: a stack for each time from one change of the stack to the next one.
 *
 * A sample lasts until the next one; the last one has no length.
 */
interface Samples {
  /** Row of the stack, or NONE while no call is open. */
  readonly stack: Int32Array;
  readonly timeNs: Float64Array;
}

/** `stackOf`: of a node of the thread's tree. The samples cover the time from `startNs` to `endNs`. */
function samplesOf(
  { timeNs, node, kind }: CallEvents,
  stackOf: (node: NodeId) => number,
  { startNs, endNs }: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds },
): Samples {
  const stack = int32Column();
  const times = float64Column();
  const open: NodeId[] = [];
  let sinceNs = startNs;
  const push = () => {
    stack.push(stackOf(open.at(-1) ?? ROOT));
    times.push(sinceNs);
  };
  for (let row = 0; row < kind.length; row++) {
    if (timeNs[row] > sinceNs || isSeenWithoutTime(node, kind, row)) push();
    if (isBeginning(kind[row])) open.push(node[row]);
    else open.pop();
    sinceNs = timeNs[row];
  }
  push();
  if (endNs > sinceNs) {
    sinceNs = endNs;
    push();
  }
  return { stack: stack.view(), timeNs: times.view() };
}

/** A call of no length would have no sample otherwise, and two calls of a function in a row would be one. */
function isSeenWithoutTime(node: Int32Array, kind: Uint8Array, row: number): boolean {
  if (row === 0) return false;
  const began = isBeginning(kind[row - 1]);
  return began !== isBeginning(kind[row]) && (began || node[row] === node[row - 1]);
}
