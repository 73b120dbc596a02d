/**
 * What has the focus while the page is drawn anew.
 */
import type { Graph } from './graph/graph.js';

/** What had it and is no more gives it to the graph, where the frame that had it keeps it. */
export function keepFocus(graph: Graph, draw: () => void): void {
  const wasInGraph = graph.hasFocus;
  const wasSomewhere = somethingHasFocus();
  draw();
  if (wasInGraph || (wasSomewhere && !somethingHasFocus())) graph.focus(graph.focusedBox);
}

/** What is hidden or disabled loses it, but not at once. */
function somethingHasFocus(): boolean {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) return false;
  return activeElement.checkVisibility() && !activeElement.matches(':disabled');
}
