/**
 * What has the focus while the page is drawn anew.
 */
import type { Chart } from '../../viewer/chart.js';

/** What had it and is no more gives it to the chart, where the box that had it keeps it. */
export function keepFocus(chart: Chart, draw: () => void): void {
  const wasInChart = chart.hasFocus;
  const wasSomewhere = somethingHasFocus();
  draw();
  if (wasInChart || (wasSomewhere && !somethingHasFocus())) chart.focus(chart.focusedBox);
}

/** What is hidden or disabled loses it, but not at once. */
function somethingHasFocus(): boolean {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) return false;
  return activeElement.checkVisibility() && !activeElement.matches(':disabled');
}
