/**
 * The state of the page that shows a call in the stack chart of its thread.
 */
import type { Nanoseconds } from '../../../model/units.js';
import type { State } from '../state.js';
import type { ListedCall } from './find-listed-calls.js';

/** How much of its duration is shown before and after a call. */
const MARGIN = 0.2;

/** `durationNs`: of the timeline. */
export function callInChart(
  { tid, startNs, endNs }: Pick<ListedCall, 'tid' | 'startNs' | 'endNs'>,
  durationNs: Nanoseconds,
): Pick<State, 'call' | 'chart' | 'chartRange'> {
  const call = { startNs: Math.max(0, Math.floor(startNs)), endNs: Math.max(0, Math.ceil(endNs)) };
  const marginNs = Math.max(1, Math.ceil(MARGIN * (call.endNs - call.startNs)));
  const chartRange = {
    startNs: Math.max(0, call.startNs - marginNs),
    endNs: Math.min(Math.ceil(durationNs), call.endNs + marginNs),
  };
  return { call: { tid, ...call }, chart: tid, chartRange };
}
