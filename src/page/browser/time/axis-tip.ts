/**
 * What the tooltip of the time axis says: of an arrow, of the name of a thread, or of what threads did at a moment.
 */
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import { hoveredDetails } from '../../view/captions/time.js';
import { wakingDetails } from '../../view/captions/wakings.js';
import type { Views } from '../../view/views.js';
import type { RangeMarks } from './range-marks.js';
import type { Strips } from './strips.js';

export interface AxisTip {
  readonly details: FrameDetails;
  /** A click opens the stack chart of the thread. */
  readonly isOnName: boolean;
}

/** null: the pointer is on nothing. */
export function axisTip(
  pointer: PointerEvent,
  strips: Strips,
  marks: RangeMarks,
  { data, timeline }: Views,
): AxisTip | null {
  const { clientX, clientY } = pointer;
  const found = strips.at(clientX, clientY);
  if (found === null || timeline === null) return null;
  const waking = strips.arrowAt(clientX, clientY);
  if (waking !== null) return { details: wakingDetails(waking, timeline.durationNs), isOnName: false };
  const { row, ns } = found;
  if (row.tid !== null && clientX < marks.element.getBoundingClientRect().left)
    return { details: { title: row.name, rows: [NAME_HINT] }, isOnName: true };
  const startNs = marks.nsAt(clientX);
  const clockNs = data.meta.originNs + BigInt(Math.round(timeline.startNs + startNs));
  const column = { startNs, endNs: startNs + strips.columnNs, clockNs };
  const allNs = strips.columnNs * row.threads.length;
  return { details: hoveredDetails({ ...column, name: row.name, ns, allNs }), isOnName: false };
}

const NAME_HINT = { label: '', value: '', note: 'click: its stack chart, calls in the order of time' };
