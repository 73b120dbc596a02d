/**
 * Finds the points that stages are between, calls of functions and samples of probes and other events, and sums up the
 * stages.
 */
import type { FunctionSet } from '../../analysis/questions.js';
import { float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { PtflameError } from '../../model/errors.js';
import type { SampleTable } from '../../model/sample-table.js';
import type { Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import {
  eventsNamed,
  eventsText,
  type FunctionPattern,
  findEvent,
  isProbe,
  patternText,
} from '../../pipeline/replay/find-functions.js';
import { sampleRows } from '../../waits/input/sample-rows.js';
import { distributionOf } from '../../waits/summary/distribution.js';
import { addWaitsWithin, WaitSummer } from '../../waits/summary/wait-sums.js';
import type { Waits } from '../../waits/waits.js';
import { type TraceWaits, tracedTids } from './ask-waits.js';
import type { StageRow, WaitsAnswer } from './schema.js';
import { callsBegunWithin, callsOfFunctions, type ThreadCalls } from './spans-of-calls.js';
import { distributionRow, offRow } from './summarize-waits.js';

type Point =
  | {
      readonly kind: 'function';
      readonly functions: FunctionSet;
      /** An event of the same name, which is not meant; null: none. */
      readonly otherEvent: string | null;
    }
  | { readonly kind: 'event'; readonly event: string };

/** Moments at which threads passed points: by thread, then by time. */
interface PassedPoints {
  readonly length: number;
  readonly tid: Int32Array;
  readonly timeNs: Float64Array;
  readonly point: Int32Array;
}

type FindFunctions = (pattern: FunctionPattern) => FunctionSet;

/** As in `probe:push`; C++ has names such as `probe::push`. */
const PROBE = /^probe:(?!:)/;

/**
 * A name is that of a function, or else of an event. `functions`: finds them; null: the recording has no calls.
 *
 * @throws PtflameError NO_SUCH_FUNCTION, NOT_RECORDED or BAD_OPTION
 */
export function findPoint(
  pattern: FunctionPattern,
  samples: readonly SampleTable[],
  functions: FindFunctions | null,
): Point {
  const event = (table: SampleTable): Point => ({ kind: 'event', event: table.event });
  if (typeof pattern === 'string' && PROBE.test(pattern)) return event(findProbe(pattern, samples));
  const found = functions === null ? null : foundOrError(() => functions(pattern));
  if (found !== null && !(found instanceof PtflameError)) {
    const [other] = typeof pattern === 'string' ? eventsNamed(pattern, samples) : [];
    return { kind: 'function', functions: found, otherEvent: other?.event ?? null };
  }
  const table = typeof pattern === 'string' ? findEvent(pattern, samples) : null;
  if (table === null) throw noSuchPoint(pattern, samples, found);
  return event(table);
}

/** @throws PtflameError NOT_RECORDED or BAD_OPTION */
function findProbe(name: string, samples: readonly SampleTable[]): SampleTable {
  const probes = samples.filter(isProbe);
  const probe = findEvent(name, samples) ?? findEvent(name.replace(PROBE, ''), probes);
  if (probe !== null) return probe;
  throw new PtflameError('NOT_RECORDED', `the trace has no probe called ${name.replace(PROBE, '')}`, {
    hint: probes.length === 0 ? 'ptflame record --probe records them' : eventsText(probes),
  });
}

function foundOrError(find: () => FunctionSet): FunctionSet | PtflameError {
  try {
    return find();
  } catch (error) {
    if (error instanceof PtflameError && error.code === 'NO_SUCH_FUNCTION') return error;
    throw error;
  }
}

/** `error`: about functions; null: the recording has no calls. */
function noSuchPoint(
  pattern: FunctionPattern,
  samples: readonly SampleTable[],
  error: PtflameError | null,
): PtflameError {
  const events = `of events, ${eventsText(samples)}`;
  if (error !== null)
    return new PtflameError(error.code, `${error.message}, and no such event`, {
      hint: `${error.hint}; ${events}`,
    });
  return new PtflameError('NOT_RECORDED', `the trace has no event ${patternText(pattern)}, and no calls of functions`, {
    hint: `${events}; calls are recorded with Intel PT`,
  });
}

/** Returns the first point at which calls of a function begin, or -1. */
function pointOfFunction(points: readonly Point[]): (symbol: SymbolId) => number {
  return (symbol) => points.findIndex((point) => point.kind === 'function' && point.functions[symbol] === 1);
}

/**
 * `calls`: of the functions among the points. `isSelected`: whether a sample counts. Of what is at the same moment, the
 * earlier point comes first.
 */
function passedPoints(
  points: readonly Point[],
  calls: ThreadCalls | null,
  samples: readonly SampleTable[],
  isSelected: (tid: Tid, cpu: number, timeNs: number) => boolean,
): PassedPoints {
  const [tids, times, at] = [int32Column(), float64Column(), int32Column()];
  if (calls !== null) {
    tids.append(calls.tid);
    times.append(calls.startNs);
    at.append(calls.symbol.map(pointOfFunction(points)));
  }
  const events = eventsOf(points);
  for (const [event, point] of events) {
    const { length, tid, cpu, timeNs } = sampleRows(samples, event, []);
    for (let row = 0; row < length; row++) {
      if (!isSelected(tid[row], cpu[row], timeNs[row])) continue;
      tids.push(tid[row]);
      times.push(timeNs[row]);
      at.push(point);
    }
  }
  const [tid, timeNs, point] = [tids.view(), times.view(), at.view()];
  if (events.size === 0) return { length: tid.length, tid, timeNs, point }; // in order
  const order = rowNumbers(tid.length);
  order.sort((a, b) => tid[a] - tid[b] || timeNs[a] - timeNs[b] || point[a] - point[b] || a - b);
  return {
    length: order.length,
    tid: valuesOf(tid, order),
    timeNs: valuesOf(timeNs, order),
    point: valuesOf(point, order),
  };
}

/** The events among the points, each with the first point that it is. */
function eventsOf(points: readonly Point[]): Map<string, number> {
  const events = new Map<string, number>();
  points.forEach((point, row) => {
    if (point.kind === 'event' && !events.has(point.event)) events.set(point.event, row);
  });
  return events;
}

/** What is several of these points is the first of them. Only what is in the window counts. */
export async function askStages(
  traceWaits: TraceWaits,
  patterns: readonly FunctionPattern[],
): Promise<NonNullable<WaitsAnswer['stages']>> {
  const { calls, trace, waits, threads, window } = traceWaits;
  const functions = calls && ((pattern: FunctionPattern) => calls.askable.functions(pattern));
  const points = patterns.map((pattern) => findPoint(pattern, trace.samples, functions));
  const isThreadSelected = trace.store.selector(threads);
  const isSelected = (tid: Tid, cpu: number, timeNs: Nanoseconds) =>
    timeNs >= window.startNs && timeNs < window.endNs && isThreadSelected(tid, cpu);
  const passed = passedPoints(points, await callsAtPoints(traceWaits, points), trace.samples, isSelected);
  const { passes, incomplete, stages } = summarizeStages(waits, passed, points.length);
  const names = patterns.map(patternText);
  return {
    complete: passes,
    incomplete,
    points: points.map((point, row) => {
      return { name: names[row], kind: point.kind, event: point.kind === 'event' ? point.event : point.otherEvent };
    }),
    rows: stages.map((stage) => stageRow(stage, names)),
  };
}

/** Its time off the CPU may be more than that of whole waits. */
function stageRow({ fromPoint, toPoint, durations: column, sums }: StageSums, names: readonly string[]): StageRow {
  const durations = distributionOf(column.view());
  return {
    ...{ from: names[fromPoint], to: names[toPoint], passes: durations.count },
    ...offRow(sums),
    ...{ onCpuNs: durations.sumNs - sums.offNs, durationNs: durations.sumNs },
    ...distributionRow(durations),
  };
}

async function callsAtPoints(traceWaits: TraceWaits, points: readonly Point[]): Promise<ThreadCalls | null> {
  const { calls, window } = traceWaits;
  const sets = points.flatMap((point) => (point.kind === 'function' ? [point.functions] : []));
  if (calls === null || sets.length === 0) return null;
  const functions = sets[0].map((_, symbol) => Number(sets.some((set) => set[symbol] === 1)));
  return callsBegunWithin(await callsOfFunctions(calls, functions, tracedTids(traceWaits)), window);
}

/** Sums up the stages between points that threads passed in a given order. */
function summarizeStages(waits: Waits, passed: PassedPoints, length: number) {
  const stages = stageSums(length);
  let passes = 0;
  let incomplete = 0;
  for (const { tid, from, to } of threadsOf(passed)) {
    const own = { timeNs: passed.timeNs.subarray(from, to), point: passed.point.subarray(from, to) };
    const found = stagesOf(own, length);
    passes += found.passes;
    incomplete += found.incomplete;
    for (let at = 0; at < found.passes * length; at += length)
      for (const { fromPoint, toPoint, durations, sums } of stages) {
        const [fromNs, toNs] = [found.timeNs[at + fromPoint], found.timeNs[at + toPoint]];
        durations.push(toNs - fromNs);
        addWaitsWithin(waits, tid, fromNs, toNs, sums);
      }
  }
  return { passes, incomplete, stages };
}

interface StageSums {
  readonly fromPoint: number;
  readonly toPoint: number;
  readonly durations: ReturnType<typeof float64Column>;
  readonly sums: WaitSummer;
}

/** From each point to the next, then from the first to the last. */
function stageSums(points: number): StageSums[] {
  const stage = (fromPoint: number, toPoint: number) => {
    return { fromPoint, toPoint, durations: float64Column(), sums: new WaitSummer() };
  };
  const steps = Array.from({ length: points - 1 }, (_, point) => stage(point, point + 1));
  return points > 2 ? [...steps, stage(0, points - 1)] : steps;
}

interface ThreadRows {
  readonly tid: Tid;
  readonly from: number;
  readonly to: number;
}

function threadsOf({ tid, length }: PassedPoints): ThreadRows[] {
  const found: ThreadRows[] = [];
  for (let from = 0, to = 0; from < length; from = to) {
    while (to < length && tid[to] === tid[from]) to++;
    found.push({ tid: tid[from], from, to });
  }
  return found;
}

/** Moments at which a thread passed a point, by time. */
interface Passed {
  readonly timeNs: Float64Array;
  readonly point: ArrayLike<number>; // 0 to the number of points - 1
}

interface PassedStages {
  /** By pass through all points: when each of them was passed, in the order of the points. */
  readonly timeNs: Float64Array;
  readonly passes: number;
  /** Begun at the first point, but not followed to the last. */
  readonly incomplete: number;
}

/**
 * A pass begins at each first point and takes, for each other point, the first moment after the point before it. Passing
 * the first point again before the last one begins anew.
 */
export function stagesOf({ timeNs, point }: Passed, points: number): PassedStages {
  const found = float64Column();
  let incomplete = 0;
  let current: Nanoseconds[] = [];
  for (let row = 0; row < timeNs.length; row++) {
    if (point[row] === 0) {
      if (current.length > 0) incomplete++;
      current = [timeNs[row]];
    } else if (current.length > 0 && point[row] === current.length) current.push(timeNs[row]);
    if (current.length !== points) continue;
    found.append(current);
    current = [];
  }
  if (current.length > 0) incomplete++;
  return { timeNs: found.view(), passes: found.length / points, incomplete };
}
