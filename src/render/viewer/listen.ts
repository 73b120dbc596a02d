/**
 * What a reader does to the frames of a graph: one listener hears for all of them.
 */
import type { ChartNode } from '../d3-chart/chart-tree.js';

export interface GraphEvents {
  readonly hover: (box: number, event: PointerEvent) => void;
  /** The pointer is at no frame any more. */
  readonly leave: () => void;
  /** What is told of a frame does not stand beside it any more. */
  readonly hide: () => void;
  readonly enter: (box: number) => void;
  /** A box has the focus of the keyboard. */
  readonly focused: (box: number, element: Element) => void;
  readonly menu: (box: number, event: MouseEvent) => void;
}

/** A frame as d3-flame-graph makes it. */
export type FrameElement = SVGGElement & { readonly __data__: { readonly data: ChartNode } };

export function listen(place: HTMLElement, events: GraphEvents): void {
  place.addEventListener('pointermove', (event) => {
    const box = boxAt(event.target);
    if (box === null) events.leave();
    else events.hover(box, event);
  });
  place.addEventListener('pointerleave', events.leave);
  place.addEventListener('wheel', events.hide, { passive: true });
  // before the frame hears of it: d3-flame-graph would zoom in what it has, and knows no more than can be seen
  place.addEventListener('click', (event) => take(event, events.enter), { capture: true });
  place.addEventListener('contextmenu', (event) => take(event, (box) => events.menu(box, event)));
  place.addEventListener('focusin', ({ target }) => {
    const box = boxAt(target);
    if (box !== null) events.focused(box, target as Element);
  });
  place.addEventListener('focusout', events.hide);
}

function take(event: Event, act: (box: number) => void): void {
  const box = boxAt(event.target);
  if (box === null) return;
  event.stopPropagation();
  event.preventDefault();
  act(box);
}

export function boxAt(target: EventTarget | null): number | null {
  const frame = target instanceof Element ? target.closest<FrameElement>('g.frame') : null;
  return frame === null ? null : frame.__data__.data.box;
}
