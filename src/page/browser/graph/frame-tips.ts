/**
 * Shows the tooltip of a frame in the main graph, with a histogram of call durations, and its text for screen readers.
 */
import type { Drawing } from '../../../render/frames/drawing.js';
import { detailsText, type FrameDetails, symbolAt } from '../../../render/frames/frame-details.js';
import { comparedDetail } from '../../view/captions/changes.js';
import { type FunctionTotals, pageDetails } from '../../view/captions/details.js';
import type { State } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import { histogramPicture } from './histogram.js';
import type { Tooltip } from './tooltip.js';

export interface DrawnBox {
  readonly views: Views;
  readonly state: State;
  readonly drawing: Drawing;
  readonly box: number;
}

export function boxText(drawn: DrawnBox): string {
  return detailsText(detailsAt(drawn, null));
}

/** Shows the tooltip next to a point of the window. */
export function showDetails(tooltip: Tooltip, drawn: DrawnBox, xPx: number, yPx: number): void {
  const { views, state, drawing, box } = drawn;
  const symbol = symbolAt(drawing.table, drawing.boxes, box);
  const view = views.viewAt(state);
  const sums = symbol === null ? undefined : view.functions().get(symbol);
  if (sums === undefined) return tooltip.show(detailsAt(drawn, null), null, xPx, yPx);
  const bars = view.bars(sums.symbol);
  const histogram = bars !== null && bars.length > 1 ? histogramPicture(bars, sums, 250, 24) : null;
  tooltip.show(detailsAt(drawn, { sums, allNs: view.allNs(), line: views.lineOf(sums.symbol) }), histogram, xPx, yPx);
}

function detailsAt({ views, state, drawing, box }: DrawnBox, totals: FunctionTotals | null): FrameDetails {
  const { table, boxes } = drawing;
  const about = { width: views.widthOf(state), hasSwitches: views.hasSwitches, isBlockedTime: views.isBlockedTime };
  const { title, rows } = pageDetails(table, boxes, box, about, totals);
  const { compared } = views.painterAt(state);
  const others = compared === null ? [] : [comparedDetail(compared, table, boxes, box)];
  return { title, rows: [...rows.slice(0, 1), ...others, ...rows.slice(1)] };
}
