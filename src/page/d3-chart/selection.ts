/**
 * Replaces d3-selection with the part that d3-flame-graph uses, without invisible work. At each draw, the library sets every
 * attribute of thousands of frames, creates label elements for frames without a label, and adds listeners to each frame. Here,
 * unchanged attributes are not set, attributes that `Graph` sets itself are skipped, and nothing is animated
 * (docs/design/page.md).
 */
import { type Drawing, type Rectangle, rectangles } from '../../render/frames/drawing.js';
import { BoxKind, viewWeight } from '../../render/layout.js';

/** An element with its bound datum. */
type BoundElement = Element & { __data__?: unknown };
type Value = ((this: Element, datum: never) => unknown) | string | number;

/** The result of comparing elements with a list of data. */
interface Joined {
  readonly parent: Element;
  readonly entering: readonly unknown[];
  readonly leaving: readonly BoundElement[];
}

export function select(element: Element): Selection {
  return new Selection([element]);
}

export class Selection {
  constructor(
    private readonly elements: readonly BoundElement[],
    private readonly joined: Joined | null = null,
  ) {}

  size(): number {
    return this.elements.length;
  }

  each(act: (this: Element, datum: unknown) => void): this {
    for (const element of this.elements) act.call(element, element.__data__);
    return this;
  }

  /** Binds a datum; a function that returns undefined leaves it unchanged. */
  datum(value: unknown): this {
    for (const element of this.elements)
      element.__data__ = typeof value === 'function' ? (value(element.__data__) ?? element.__data__) : value;
    return this;
  }

  /** Selects one descendant per element and binds the element's datum to it. */
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

  /** Selects all descendants of the first element. */
  selectAll(name: string): Selection {
    const [parent] = this.elements as [Element];
    return new Selection([...parent.querySelectorAll(name)], { parent, entering: [], leaving: [] });
  }

  /** Binds the list to the elements by key; selects the elements that have a datum in it. */
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

  /** Label elements are created when they are selected. */
  append(name: string): Selection {
    if (name === 'foreignObject') return new Selection([]);
    return new Selection(this.elements.map((element) => appended(element, name, element.__data__)));
  }

  /** Setting an attribute makes the browser recompute styles, even if the value stays the same. */
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

  /** The style sheet of the page already has these styles. */
  style(): this {
    return this;
  }

  /** One listener handles all frames (`viewer/listen.ts`). */
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

/** Data without an element. */
class Entering {
  constructor(private readonly joined: Joined) {}

  append(name: string): Selection {
    const { parent, entering } = this.joined;
    return new Selection(entering.map((datum) => appended(parent, name, datum)));
  }
}

/** Attributes that `D3Frames` or the style sheet sets, or that are never read. */
const SKIPPED_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  g: ['class', 'height', 'name', 'transform', 'width'],
  rect: ['height', 'width'],
};

/** Finders for the selectors that the library uses in a frame, faster than `querySelector`. */
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

/** Returns the label element of a frame, a `g` with a `rect`; three of four frames have no label and so no element. */
function labelContainer(frame: BoundElement): Element | null {
  const container = frame.children[1];
  const { data } = frame.__data__ as { readonly data: ChartNode };
  if (data.label !== '') return container ?? newLabelContainer(frame);
  container?.remove();
  return null;
}

function newLabelContainer(frame: Element): Element {
  const container = appended(frame, 'svg:foreignObject', null);
  container.append(document.createElement('div'));
  return container;
}

function appended(parent: Element, name: string, datum: unknown): BoundElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name.replace('svg:', ''));
  parent.append(element);
  return Object.assign(element, { __data__: datum });
}

/**
 * Builds the tree that d3-flame-graph draws from rectangles.
 *
 * A node as the library expects it: its value is the weight of the subtree.
 */
export interface ChartNode extends Rectangle {
  readonly value: number;
  readonly children: ChartNode[];
}

/** Returns the root. Frames without weight are not drawn, except the one zoomed in on. */
export function chartOf(drawing: Drawing, drawn: Iterable<Rectangle> = rectangles(drawing)): ChartNode {
  const { boxes, table } = drawing;
  const nodes = new Map<number, ChartNode>();
  let root: ChartNode | null = null;
  let nearest: ChartNode | null = null; // nearest caller, possibly a block of callers
  const viewTotal = Math.max(viewWeight(boxes), 1);
  for (const rectangle of drawn) {
    const { box } = rectangle;
    const isCaller = box < boxes.viewStart;
    const isFullWidth = isCaller || (box === boxes.viewStart && boxes.total[box] === 0);
    const node = { ...rectangle, value: isFullWidth ? viewTotal : boxes.total[box], children: [] };
    const caller = nodes.get(table.parent[boxes.node[box]]) ?? nearest;
    caller?.children.push(node);
    root ??= node;
    if (isCaller) nearest = node;
    if (boxes.kind[box] === BoxKind.Frame) nodes.set(boxes.node[box], node);
  }
  if (root === null) throw new Error('a chart without its root');
  return root;
}
