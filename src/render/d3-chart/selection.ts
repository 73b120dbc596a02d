/**
 * In place of d3-selection: as much of it as d3-flame-graph asks for, and none of what nobody sees. At each drawing the library
 * sets every attribute of thousands of frames, makes a place for the text of frames that have none, and listens at each frame.
 * Here, an attribute that is as it was is not set, `Graph` sets what it sets anyway, and nothing is animated (docs/decisions/0012).
 */
import type { ChartNode } from './chart-tree.js';

/** An element with what is drawn in it. */
type BoundElement = Element & { __data__?: unknown };
type Value = ((this: Element, datum: never) => unknown) | string | number;

/** Elements that show a list, compared with it. */
interface Joined {
  readonly parent: Element;
  readonly entering: readonly unknown[];
  readonly leaving: readonly BoundElement[];
}

export function select(element: Element): Selection {
  return new Selection([element]);
}

export class Selection {
  private readonly elements: readonly BoundElement[];
  private readonly joined: Joined | null;

  constructor(elements: readonly BoundElement[], joined: Joined | null = null) {
    this.elements = elements;
    this.joined = joined;
  }

  size(): number {
    return this.elements.length;
  }

  each(act: (this: Element, datum: unknown) => void): this {
    for (const element of this.elements) act.call(element, element.__data__);
    return this;
  }

  /** Of the function, undefined: it stays. */
  datum(value: unknown): this {
    for (const element of this.elements)
      element.__data__ = typeof value === 'function' ? (value(element.__data__) ?? element.__data__) : value;
    return this;
  }

  /** In each element, what it has of this name; it shows the same. */
  select(name: string): Selection {
    const parts: BoundElement[] = [];
    for (const element of this.elements) {
      const part: BoundElement | null = (FINDERS[name] ?? firstOf)(element, name);
      if (part === null) continue;
      part.__data__ = element.__data__;
      parts.push(part);
    }
    return new Selection(parts);
  }

  /** Of the first element. */
  selectAll(name: string): Selection {
    const [parent] = this.elements as [Element];
    return new Selection([...parent.querySelectorAll(name)], { parent, entering: [], leaving: [] });
  }

  /** The elements that show one of the list, by its key; each shows it from now on. */
  data(list: readonly unknown[], keyOf: (datum: unknown) => unknown): Selection {
    const known = new Map(this.elements.map((element) => [keyOf(element.__data__), element]));
    const [staying, entering]: [BoundElement[], unknown[]] = [[], []];
    for (const datum of list) {
      const key = keyOf(datum);
      const element = known.get(key);
      known.delete(key);
      if (element === undefined) entering.push(datum);
      else staying.push(Object.assign(element, { __data__: datum }));
    }
    const { parent } = this.joined as Joined;
    return new Selection(staying, { parent, entering, leaving: [...known.values()] });
  }

  enter(): Entering {
    return new Entering(this.joined as Joined);
  }

  exit(): Selection {
    return new Selection((this.joined as Joined).leaving);
  }

  remove(): void {
    for (const element of this.elements) element.remove();
  }

  /** Places of labels are made when they are selected. */
  append(name: string): Selection {
    if (name === 'foreignObject') return new Selection([]);
    return new Selection(this.elements.map((element) => appended(element, name, element.__data__)));
  }

  /** The browser styles anew what is set, even to the same. */
  attr(name: string, value: Value): this {
    const [first] = this.elements;
    if (first === undefined || SKIPPED_ATTRIBUTES[first.localName]?.includes(name)) return this;
    return this.set(
      value,
      (element) => element.getAttribute(name),
      (element, text) => element.setAttribute(name, text),
    );
  }

  text(value: Value): this {
    return this.set(
      value,
      (element) => element.textContent,
      (element, text) => {
        element.textContent = text;
      },
    );
  }

  call(act: (selection: this) => void): this {
    act(this);
    return this;
  }

  /** Nothing is animated. */
  transition(): this {
    return this;
  }

  duration(): this {
    return this;
  }

  delay(): this {
    return this;
  }

  ease(): this {
    return this;
  }

  /** The page's style sheet has what is set. */
  style(): this {
    return this;
  }

  /** One listener hears for all frames (`viewer/listen.ts`). */
  on(): this {
    return this;
  }

  private set(value: Value, get: (from: Element) => string | null, set: (to: Element, text: string) => void): this {
    return this.each(function (datum) {
      const text = String(typeof value === 'function' ? value.call(this, datum as never) : value);
      if (get(this) !== text) set(this, text);
    });
  }
}

/** What is to be shown, and has no element yet. */
class Entering {
  private readonly joined: Joined;

  constructor(joined: Joined) {
    this.joined = joined;
  }

  append(name: string): Selection {
    const { parent, entering } = this.joined;
    return new Selection(entering.map((datum) => appended(parent, name, datum)));
  }
}

/** Set by `Graph` or by the style sheet, or read by nobody. */
const SKIPPED_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  g: ['class', 'height', 'name', 'width'],
  rect: ['height', 'width'],
};

/** What the library looks for in a frame, without asking the browser for a selector each time. */
const FINDERS: Readonly<Record<string, typeof firstOf>> = {
  rect: firstChild,
  foreignObject: labelContainer,
  div: firstChild,
};

function firstOf(element: Element, name: string): Element | null {
  return element.querySelector(name);
}

function firstChild(element: Element): Element | null {
  return element.firstElementChild;
}

/** A frame is a `g` with a `rect`, and with a place for its label if it has one: three of four have none. */
function labelContainer(frame: BoundElement): Element | null {
  const place = frame.children[1];
  const { data } = frame.__data__ as { readonly data: ChartNode };
  if (data.label !== '') return place ?? newLabelContainer(frame);
  place?.remove();
  return null;
}

function newLabelContainer(frame: Element): Element {
  const place = appended(frame, 'svg:foreignObject', null);
  place.append(document.createElement('div'));
  return place;
}

function appended(parent: Element, name: string, datum: unknown): BoundElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name.replace('svg:', ''));
  parent.append(element);
  return Object.assign(element, { __data__: datum });
}
