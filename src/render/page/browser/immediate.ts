/**
 * d3-flame-graph draws thousands of frames, and again at each change: what it does to them beyond what is seen is left out here.
 *
 * In the place of d3-transition: what would be animated is done at once. A picture that was asked for is there, and thousands
 * of frames do not share the processor with as many animations.
 */
import { selection } from 'd3-selection';
import type { ChartNode } from '../view/chart.js';

interface Each {
  each(act: (this: Element, ...rest: unknown[]) => void): this;
}

const itself = function (this: unknown) {
  return this;
};

/** Set by `Graph`, or by the style sheet, or read by nobody. */
const NOT_SET: Readonly<Record<string, ReadonlySet<string>>> = {
  g: new Set(['class', 'height', 'name', 'width']),
  rect: new Set(['height', 'width']),
};

/** What is written anew has to be styled anew, even if it is the same. */
function setChanged(this: Each, name: string, value: unknown): Each {
  return this.each(function (...rest) {
    if (NOT_SET[this.localName]?.has(name)) return;
    const text = String(typeof value === 'function' ? value.apply(this, rest) : value);
    if (this.getAttribute(name) !== text) this.setAttribute(name, text);
  });
}

/** Three of four frames have no text, and need no place for it. */
function placeOfLabel(this: Element, { data }: { readonly data: ChartNode }): Element | null {
  const place = this.children[1];
  if (data.label === '') place?.remove();
  return data.label === '' ? null : (place ?? this.appendChild(newPlace()));
}

function newPlace(): Element {
  const place = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
  place.append(document.createElement('div'));
  return place;
}

const firstChild = function (this: Element) {
  return this.firstElementChild;
};
const { append, select } = selection.prototype;
const HOW: Readonly<Record<string, unknown>> = { foreignObject: placeOfLabel, rect: firstChild, div: firstChild };

Object.assign(selection.prototype, {
  append(this: object, what: string) {
    return what === 'foreignObject' ? select.call(this, () => null) : append.call(this, what);
  },
  select(this: object, what: unknown) {
    return select.call(this, typeof what === 'string' ? (HOW[what] ?? what) : what);
  },
  transition: itself,
  duration: itself,
  delay: itself,
  ease: itself,
  on: itself, // `Graph` listens for all frames at once
  attr: setChanged,
});
