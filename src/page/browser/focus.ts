/**
 * Keeps the keyboard focus while the page is redrawn.
 */
import type { Chart } from '../../render/viewer/chart.js';

/** Redraws. If the focused element disappears, the chart gets the focus; a focused box keeps it. */
export function keepFocus(chart: Chart, draw: () => void): void {
  const wasInChart = chart.hasFocus;
  const wasSomewhere = somethingHasFocus();
  draw();
  if (wasInChart || (wasSomewhere && !somethingHasFocus())) chart.focus(chart.focusedBox);
}

/** Whether a visible, enabled element has the focus: hidden or disabled ones lose it, but not at once. */
function somethingHasFocus(): boolean {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) return false;
  return activeElement.checkVisibility() && !activeElement.matches(':disabled');
}
