/**
 * Runs a flame graph that has a document of its own, an SVG or the page of a comparison: each zoom and search changes the
 * address, and the graph is drawn from the address.
 */

import { ROOT } from '../../model/calls/call-tree.js';
import type { NodeId } from '../../model/units.js';
import { findFrames, foundShare, foundText, isBoxFound, matchNames, type NameMatches } from '../find-frames.js';
import { CHARACTER_PX, type Drawing, type Highlight, pictureClass, px, type Rectangle } from '../frames/drawing.js';
import { detailsText, type FrameDetails } from '../frames/frame-details.js';
import type { FrameTable } from '../frames/frame-table.js';
import { viewWeight } from '../layout.js';
import { byId, setAttributes, svgElement } from './dom.js';
import { FlameGraph, type FlameView, type FrameLayer, listen } from './flame-graph.js';
import { isShortcut, resetButton, SearchField } from './search-field.js';

/** What the address says, so that links and reloads show the same view. */
export interface GraphState {
  /** The siblings that fill the width, usually one frame. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly search: string;
}

export const WHOLE_GRAPH: GraphState = { first: ROOT, last: ROOT, search: '' };

/** What of a view the viewer knows; the rest is that of the document. */
export type SearchedView = Pick<FlameView, 'table' | 'isMarked' | 'dimsOthers'>;

export interface ViewerTooltip {
  /** Shows details next to a point of the window. */
  readonly show: (details: FrameDetails, xPx: number, yPx: number) => void;
  readonly hide: () => void;
}

/** A document has the elements of `RectFrames`, and is one of these. */
export abstract class GraphViewer<State extends GraphState> {
  protected readonly graph: FlameGraph;
  protected readonly search: SearchField;
  protected readonly reset = resetButton(() => this.zoom(ROOT, ROOT));
  protected state: State;
  /** The tooltip shows something other than a box. */
  protected isPinned = false;

  constructor(
    layer: FrameLayer,
    protected readonly tooltip: ViewerTooltip,
    characterPx: number,
    protected table: FrameTable,
    /** What an empty address says. */
    protected readonly initial: State,
  ) {
    this.state = this.read();
    this.graph = new FlameGraph(layer, characterPx, (box) => detailsText(this.detailsOf(box)));
    const leave = () => this.graph.focus(this.graph.focusedBox);
    this.search = new SearchField({ search: (search) => this.go({ search } as Partial<State>), enter: leave, leave });
  }

  start(): void {
    const hide = () => this.leaveBox();
    const events = {
      hover: (box: number, { clientX, clientY }: PointerEvent) => {
        if (!this.isPinned) this.pointAt(box, clientX, clientY);
      },
      leave: hide,
      hide,
      activate: (box: number) => this.zoomTo(box),
      focused: (box: number, element: Element) => {
        const { left, top } = element.getBoundingClientRect();
        this.pointAt(box, left, top + 8, 'keys');
      },
    };
    // focus events from the document: Chromium makes a group with focus listeners focusable
    listen(this.graph, byId('boxes'), events, document);
    document.addEventListener('keydown', (event) => this.press(event));
    addEventListener('hashchange', () => this.show(this.read()));
    addEventListener('resize', () => this.draw());
    this.draw();
  }

  protected abstract detailsOf(box: number): FrameDetails;
  /** Draws the graph and what is around it. `isMatch`: of the search, by name; null: there is none. */
  protected abstract drawGraph(view: SearchedView, isMatch: NameMatches['isMatch']): void;
  /** Whether keys for frames act now. */
  protected abstract readonly takesKeys: boolean;
  /** They replace others. */
  protected get moreKeys(): Readonly<Record<string, () => void>> {
    return {};
  }

  /** Reads the address. Invalid parts are ignored. */
  protected read(): State {
    const params = addressParts();
    const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(params.get('zoom') ?? '') ?? [];
    const [first, last] = [Number(from), Number(to)];
    const { parent } = this.table;
    const isValid = first <= last && last < parent.length && parent[first] === parent[last];
    return { ...this.initial, ...(isValid && { first, last }), search: params.get('search') ?? '' };
  }

  /** Names and texts in an address, in their order. */
  protected write({ first, last, search }: State): [name: string, text: string][] {
    return [
      ['zoom', first === last ? `${first}` : `${first}-${last}`],
      ['search', search],
    ];
  }

  protected go(change: Partial<State>): void {
    const state = { ...this.state, ...change };
    const hash = this.hashOf(state);
    if (hash === this.hashOf(this.state)) return;
    if (state.search !== this.state.search)
      location.replace(hash); // typing adds no entries to the history
    else location.hash = hash;
    this.show(state);
  }

  protected show(state: State): void {
    if (this.hashOf(state) === this.hashOf(this.state)) return;
    this.state = state;
    this.draw();
  }

  protected zoom(first: NodeId, last: NodeId): void {
    this.go({ first, last } as Partial<State>);
  }

  /** By Esc, if nothing is searched for. */
  protected zoomBack(): void {
    this.zoom(ROOT, ROOT);
  }

  protected draw(): void {
    const { graph, table } = this;
    const { search, first, last } = this.state;
    const { isMatch, problem } = matchNames(table.names, search);
    const found = isMatch && findFrames(table, isMatch);
    const { hasFocus } = graph;
    const isMarked: FlameView['isMarked'] = found && ((boxes, box) => isBoxFound(table, found, boxes, box));
    this.drawGraph({ table, isMarked, dimsOthers: found !== null }, isMatch);
    this.leaveBox();
    const { boxes } = graph;
    if (hasFocus) graph.focus(boxes.viewStart);
    else graph.setTabStop(boxes.viewStart);
    const result =
      found && foundText(foundShare(table, found, first, last), viewWeight(boxes), found.matches[ROOT] as number);
    this.search.show(search, result ?? '', problem);
    this.reset.disabled = first === ROOT;
  }

  private pointAt(box: number, xPx: number, yPx: number, className?: string): void {
    this.graph.markBox(box, className);
    this.tooltip.show(this.detailsOf(box), xPx, yPx);
  }

  protected leaveBox(): void {
    if (this.isPinned) return;
    this.graph.unmark();
    this.tooltip.hide();
  }

  private zoomTo(box: number): void {
    const { node, lastNode } = this.graph.boxes;
    this.graph.focusedBox = box;
    this.zoom(node[box] as NodeId, lastNode[box] as NodeId);
  }

  private press(event: KeyboardEvent): void {
    const { key, target } = event;
    if (isShortcut(event) || (key === 'Enter' && target instanceof HTMLElement)) return;
    const { graph, takesKeys } = this;
    const actions: Readonly<Record<string, () => void>> = {
      ...(takesKeys && { Enter: () => this.zoomTo(graph.focusedBox) }),
      Escape: () => (this.state.search === '' ? this.zoomBack() : this.go({ search: '' } as Partial<State>)),
      '/': () => this.search.focus(),
      r: () => this.zoom(ROOT, ROOT),
      ...this.moreKeys,
    };
    const action = actions[key];
    if (!action && !(takesKeys && graph.moveFocus(key))) return;
    event.preventDefault();
    action?.();
  }

  private hashOf(state: State): string {
    const start = this.write(this.initial);
    return `#${new URLSearchParams(this.write(state).filter(([, text], at) => text !== start[at]?.[1]))}`;
  }
}

export function addressParts(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** Returns the actual width of a character in the font that the browser chose. */
export function measureCharacterPx(): number {
  const sample = svgElement('text', { visibility: 'hidden' }, SAMPLE);
  byId('labels').append(sample);
  const widthPx = sample.getComputedTextLength() / SAMPLE.length;
  sample.remove();
  return widthPx || CHARACTER_PX;
}

const SAMPLE = 'x'.repeat(100);

/** Draws the frames as rectangles, replacing those in the file. */
export class RectFrames implements FrameLayer {
  readonly textures = byId('textures');
  readonly mark = svgElement('rect', { id: 'mark', rx: 2, visibility: 'hidden' });

  constructor(readonly scrollIntoView: FrameLayer['scrollIntoView']) {
    byId('frames').append(this.mark);
  }

  draw(_: Drawing, rectangles: readonly Rectangle[]): SVGElement[] {
    const elements = rectangles.map(({ xPx, yPx, widthPx, heightPx }) =>
      svgElement('rect', { x: px(xPx), y: yPx, width: px(widthPx), height: heightPx }),
    );
    const labels = rectangles
      .filter(({ label }) => label)
      .map(({ label, textXPx, textYPx }) => svgElement('text', { x: px(textXPx), y: textYPx }, label));
    byId('boxes').replaceChildren(...elements);
    byId('labels').replaceChildren(...labels);
    return elements;
  }

  setHighlight(element: SVGElement, rectangle: Rectangle, look: Highlight): void {
    setAttributes(element, { class: pictureClass(rectangle, look) });
  }
}
