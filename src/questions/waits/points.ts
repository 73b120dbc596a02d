/**
 * Finds the points that stages are between: calls of functions, and samples of probes and other events.
 */
import type { FunctionSet } from '../../analysis/questions.js';
import { float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { PtflameError } from '../../model/errors.js';
import type { SampleTable } from '../../model/sample-table.js';
import type { SymbolId, Tid } from '../../model/units.js';
import {
  eventsNamed,
  eventsText,
  type FunctionPattern,
  findEvent,
  isProbe,
  patternText,
} from '../../pipeline/replay/find-functions.js';
import { sampleRows } from '../../waits/input/sample-rows.js';
import type { ThreadCalls } from './spans-of-calls.js';

export type Point =
  | {
      readonly kind: 'function';
      readonly functions: FunctionSet;
      /** An event of the same name, which is not meant; null: none. */
      readonly otherEvent: string | null;
    }
  | { readonly kind: 'event'; readonly event: string };

/** Moments at which threads passed points: by thread, then by time. */
export interface PassedPoints {
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
export function passedPoints(
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
