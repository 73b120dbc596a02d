/**
 * Listens for pointer and focus events on the boxes of a chart, with one listener for all of them.
 */
import type { Chart } from './chart.js';

export interface ChartEvents {
  readonly hover: (box: number, event: PointerEvent) => void;
  /** The pointer left all boxes. */
  readonly leave: () => void;
  /** The tooltip is no longer next to its box. */
  readonly hide: () => void;
  readonly activate: (box: number) => void;
  /** A box received the keyboard focus. */
  readonly focused: (box: number, element: Element) => void;
}

/** `container`: source of pointer events. `focusTarget`: source of focus events. */
export function listen(
  chart: Chart,
  container: GlobalEventHandlers,
  events: ChartEvents,
  focusTarget: GlobalEventHandlers = container,
): void {
  container.addEventListener('pointermove', (event) => {
    const box = chart.boxAt(event.target);
    if (box === null) events.leave();
    else events.hover(box, event);
  });
  container.addEventListener('pointerleave', events.leave);
  // captured before d3-flame-graph's own listener, which would zoom in the visible frames, the only ones it has
  container.addEventListener('click', (event) => consumeBoxEvent(chart, event, events.activate), { capture: true });
  focusTarget.addEventListener('focusin', ({ target }) => {
    const box = chart.boxAt(target);
    if (box === null) return;
    chart.focusedBox = box;
    events.focused(box, target as Element);
  });
  focusTarget.addEventListener('focusout', events.hide);
}

/** Handles an event on a box and stops its propagation. */
export function consumeBoxEvent(chart: Chart, event: Event, act: (box: number) => void): void {
  const box = chart.boxAt(event.target);
  if (box === null) return;
  event.stopPropagation();
  event.preventDefault();
  act(box);
}
