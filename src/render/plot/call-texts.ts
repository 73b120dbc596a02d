/**
 * Describes calls and counts of calls in words.
 */
import { formatAtLeast, formatCount, formatDuration, formatMany } from '../format.js';
import { visibleText } from '../visible-text.js';
import type { CallsPlot, PlottedCall, PlottedCell } from './calls-plot.js';

/** Returns "≥ 1.5 ms" for an inferred call. */
export function callDuration({ durationNs, isInferred }: Pick<PlottedCall, 'durationNs' | 'isInferred'>): string {
  return isInferred ? formatAtLeast(durationNs) : formatDuration(durationNs);
}

/** Returns "1.5 ms, thread 12 main, from 12345.678992352". */
export function callText(call: PlottedCall): string {
  const { tid, comm, start } = call;
  return `${callDuration(call)}, thread ${tid}${comm === null ? '' : ` ${visibleText(comm)}`}, from ${start}`;
}

/** Returns "12 calls of 1.02 µs up to 1.45 µs, 3 of them lasted longer or unknown". */
export function cellText(
  cell: PlottedCell,
  { durationNs, columns }: Pick<CallsPlot, 'durationNs' | 'columns'>,
): string {
  const { column, fromNs, toNs, calls, inferred } = cell;
  const [start, end] = [column, column + 1].map((at) => `+${formatDuration((at * durationNs) / columns)}`);
  const atLeast = inferred === 0 ? '' : `, ${formatCount(inferred)} of them at least this long: start or end not seen`;
  return `${formatMany(calls, 'call')} of ${formatDuration(fromNs)} to ${formatDuration(toNs)}, from ${start} to ${end}${atLeast}`;
}

/** Returns the title of a picture, and what it shows of the calls. */
export function titleOfCalls(
  { calls, callsLeftOut }: Pick<CallsPlot, 'calls' | 'callsLeftOut'>,
  name: string,
  bounds: string | null,
  isHeatMap: boolean,
): { readonly title: string; readonly shown: string } {
  const count = formatMany(calls.length + callsLeftOut, 'call');
  const kind = isHeatMap ? 'number of calls by time and duration' : 'a dot for each call';
  const only = bounds === null ? '' : `; only ${bounds}`;
  const isLimited = !isHeatMap && callsLeftOut > 0;
  const left = isLimited ? `; ${formatMany(callsLeftOut, 'shorter call')} not drawn` : '';
  return { title: `${name}: ${count} over time`, shown: `${kind}${only}${left}` };
}
