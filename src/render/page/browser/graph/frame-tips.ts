/**
 * What is told of a frame of the main graph: read aloud, and beside it with how long the calls of its function took.
 */
import type { Drawing } from '../../../frames/drawing.js';
import { detailsText, type FrameDetails, symbolAt } from '../../../frames/frame-details.js';
import { type FunctionTotals, pageDetails } from '../../captions/details.js';
import type { State } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import { histogramPicture } from './histogram.js';
import type { Tooltip } from './tooltip.js';

/** A box of what is drawn. */
export interface DrawnBox {
  readonly views: Views;
  readonly state: State;
  readonly drawing: Drawing;
  readonly box: number;
}

export function boxText(drawn: DrawnBox): string {
  return detailsText(factsAt(drawn, null));
}

/** Beside a point of the window. */
export function showDetails(tooltip: Tooltip, drawn: DrawnBox, xPx: number, yPx: number): void {
  const { views, state, drawing, box } = drawn;
  const symbol = symbolAt(drawing.table, drawing.boxes, box);
  const view = views.viewAt(state);
  const sums = symbol === null ? undefined : view.functions().get(symbol);
  if (sums === undefined) return tooltip.show(factsAt(drawn, null), null, xPx, yPx);
  const bars = view.bars(sums.symbol);
  const histogram = bars !== null && bars.length > 1 ? histogramPicture(bars, sums, 250, 24) : null;
  tooltip.show(factsAt(drawn, { sums, allNs: view.allNs() }), histogram, xPx, yPx);
}

function factsAt({ views, state, drawing, box }: DrawnBox, everywhere: FunctionTotals | null): FrameDetails {
  const { table, boxes } = drawing;
  return pageDetails(table, boxes, box, { width: views.widthOf(state), hasSwitches: views.hasSwitches }, everywhere);
}
