/**
 * Writes a thread of Firefox Profiler: its samples and markers.
 */
import { isLost, isOffCpu } from '../../analysis/tree/outside.js';
import { type CallEvents, isBeginning } from '../../model/calls/call-events.js';
import { ROOT } from '../../model/calls/call-tree.js';
import { float64Column, int32Column } from '../../model/columns.js';
import type { ThreadProfile } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE, type NodeId, type Tid } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';
import type { AsciiWriter } from '../ascii-writer.js';
import { threadName } from '../thread-name.js';
import { categoryNumber } from './categories.js';
import { MARKERS, MarkerKind, type Markers, markersOf } from './markers.js';
import type { TextRows } from './shared.js';
import type { Stacks } from './stacks.js';
import { type Column, numberOrNull, tablePieces } from './table.js';

/** What the threads of a file have in common. */
export interface FileOfThreads {
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

export function* threadPieces(
  thread: ThreadProfile,
  events: CallEvents,
  file: FileOfThreads,
): Generator<string | Uint8Array> {
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
