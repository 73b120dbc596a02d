/**
 * What d3-flame-graph does to thousands of frames at each drawing, and nobody sees, is left out: attributes that are as they were or
 * that `Graph` sets anyway, places for text in frames without text, styles and listeners of every frame. A change takes half the time
 * (docs/decisions/0012). The library asks d3's selections for all of it, so what they do is exchanged here, for the whole page.
 */
import { selection } from 'd3-selection';
import type { ChartNode } from '../view/chart.js';

interface Elements {
  each(act: (this: Element, ...rest: unknown[]) => void): this;
}

/** Set by `Graph` or by the style sheet, or read by nobody. */
const NOT_SET: Readonly<Record<string, ReadonlySet<string>>> = {
  g: new Set(['class', 'height', 'name', 'width']),
  rect: new Set(['height', 'width']),
};

/** The browser styles anew what is set, even to the same. */
function setChanged(this: Elements, name: string, value: unknown): Elements {
  return this.each(function (...rest) {
    if (NOT_SET[this.localName]?.has(name)) return;
    const text = String(typeof value === 'function' ? value.apply(this, rest) : value);
    if (this.getAttribute(name) !== text) this.setAttribute(name, text);
  });
}

/** A frame is a `g` with a `rect`, and with a place for its label if it has one: three of four have none. */
function placeOfLabel(this: Element, { data }: { readonly data: ChartNode }): Element | null {
  const place = this.children[1];
  if (data.label !== '') return place ?? this.appendChild(newPlace());
  place?.remove();
  return null;
}

function newPlace(): Element {
  const place = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
  place.append(document.createElement('div'));
  return place;
}

function itself(this: object): object {
  return this;
}

function firstChild(this: Element): Element | null {
  return this.firstElementChild;
}

/** What the library looks for in a frame, without asking the browser for a selector each time. */
const PARTS: Readonly<Record<string, unknown>> = { rect: firstChild, foreignObject: placeOfLabel, div: firstChild };

const { append, select } = selection.prototype;

Object.assign(selection.prototype, {
  attr: setChanged,
  select(this: object, what: unknown) {
    return select.call(this, typeof what === 'string' ? (PARTS[what] ?? what) : what);
  },
  /** Places of labels are made when they are selected. */
  append(this: object, what: string) {
    return what === 'foreignObject' ? select.call(this, () => null) : append.call(this, what);
  },
  style: itself, // the style sheet has what is set
  on: itself, // `Graph` listens for all frames at once
});
