/**
 * What a reader does to the boxes of a chart: one listener hears for all of them.
 */
import type { Chart } from './chart.js';

export interface ChartEvents {
  readonly hover: (box: number, event: PointerEvent) => void;
  /** The pointer is at no box any more. */
  readonly leave: () => void;
  /** What is told of a box does not stand beside it any more. */
  readonly hide: () => void;
  readonly activate: (box: number) => void;
  /** A box has the focus of the keyboard. */
  readonly focused: (box: number, element: Element) => void;
}

/** `focusPlace`: where the focus is heard of. */
export function listen(
  chart: Chart,
  place: GlobalEventHandlers,
  events: ChartEvents,
  focusPlace: GlobalEventHandlers = place,
): void {
  place.addEventListener('pointermove', (event) => {
    const box = chart.boxAt(event.target);
    if (box === null) events.leave();
    else events.hover(box, event);
  });
  place.addEventListener('pointerleave', events.leave);
  // before the frame hears of it: d3-flame-graph would zoom in what it has, and knows no more than can be seen
  place.addEventListener('click', (event) => consumeBoxEvent(chart, event, events.activate), { capture: true });
  focusPlace.addEventListener('focusin', ({ target }) => {
    const box = chart.boxAt(target);
    if (box === null) return;
    chart.focusedBox = box;
    events.focused(box, target as Element);
  });
  focusPlace.addEventListener('focusout', events.hide);
}

/** Nobody else hears of what happens to a box. */
export function consumeBoxEvent(chart: Chart, event: Event, act: (box: number) => void): void {
  const box = chart.boxAt(event.target);
  if (box === null) return;
  event.stopPropagation();
  event.preventDefault();
  act(box);
}
