/**
 * Runs the viewer in the SVG: the toolbar in its head, the list of keys, and steps back to earlier zooms.
 */

import type { NodeId } from '../../../model/units.js';
import type { Paint, Wording } from '../../frames/drawing.js';
import type { FrameDetails } from '../../frames/frame-details.js';
import type { Boxes } from '../../layout.js';
import { byId, htmlElement, setAttributes, svgElement } from '../../viewer/dom.js';
import {
  type GraphState,
  GraphViewer,
  measureCharacterPx,
  RectFrames,
  type SearchedView,
  WHOLE_GRAPH,
} from '../../viewer/graph-viewer.js';
import { helpButton, type SearchField } from '../../viewer/search-field.js';
import type { SvgData } from '../data.js';
import { HEAD, NARROW_PX, NARROWEST_PX } from '../head.js';
import { keepHeadVisible, layOutHead, resize, scrollToFrame, size } from './page.js';
import { Tooltip } from './tooltip.js';

/** What the viewer shows, and how it looks. */
export interface Picture extends SvgData {
  readonly classOf: Paint;
  readonly wording?: Wording;
  readonly detailsOf: (boxes: Boxes, box: number) => FrameDetails;
}

export class Viewer extends GraphViewer<GraphState> {
  protected readonly takesKeys = true;
  private readonly placeToolbar = newToolbar(this.search, this.reset, () => this.toggleHelp());
  /** States that Esc returns to. */
  private readonly previous: GraphState[] = [];
  /** Largest row count so far: clicked frames keep their height. */
  private minRows = 0;

  constructor(private readonly picture: Picture) {
    const frames = new RectFrames((_, { yPx }) => scrollToFrame(yPx, picture.settings.isIcicle));
    const characterPx = measureCharacterPx();
    super(frames, new Tooltip(characterPx), characterPx, picture.table, WHOLE_GRAPH);
  }

  override start(): void {
    super.start();
    addEventListener('scroll', keepHeadVisible);
    this.revealView();
  }

  protected override show(state: GraphState): void {
    const { first, last } = this.state;
    super.show(state);
    if (state.first === first && state.last === last) return;
    this.graph.focusedBox = this.graph.boxes.viewStart;
    this.revealView();
  }

  /** Keys keep acting on the same place while a search is typed. */
  protected override draw(): void {
    const { graph } = this;
    const { hasFocus, focusedBox } = graph;
    super.draw();
    if (!hasFocus) graph.focusedBox = Math.min(focusedBox, graph.boxes.length - 1);
  }

  protected drawGraph(view: SearchedView): void {
    const { graph, minRows } = this;
    const { settings, classOf, wording } = this.picture;
    const widthPx = layOutHead();
    graph.draw({ ...view, ...this.state, ...settings, widthPx, minRows, classOf, ...(wording && { wording }) });
    const { rowCount } = graph.drawing;
    if (!settings.isIcicle) this.minRows = rowCount;
    resize(rowCount);
    keepHeadVisible();
    this.placeToolbar();
  }

  protected override zoom(first: NodeId, last: NodeId): void {
    if (first === this.state.first && last === this.state.last) return;
    this.previous.push(this.state);
    super.zoom(first, last);
  }

  protected override get moreKeys() {
    const help = () => this.toggleHelp();
    return { '?': help, ...(this.isPinned && { Escape: help }) };
  }

  protected override zoomBack(): void {
    const { first, last } = this.previous.pop() ?? WHOLE_GRAPH;
    this.go({ first, last });
  }

  protected detailsOf(box: number): FrameDetails {
    return this.picture.detailsOf(this.graph.boxes, box);
  }

  private revealView(): void {
    this.graph.reveal(this.graph.boxes.viewStart);
  }

  private toggleHelp(): void {
    this.isPinned = !this.isPinned;
    if (this.isPinned) this.tooltip.show(HELP, size.widthPx, size.headPx);
    else this.leaveBox();
  }
}

/** Lists the keys. */
const HELP: FrameDetails = {
  title: 'Keys',
  rows: [
    ['↑ ↓ ← →', 'move between frames'],
    ['Enter', 'zoom to the frame'],
    ['Esc', 'clear search or zoom back'],
    ['/', 'search: text or /regex/'],
    ['r', 'show all frames'],
    ['?', 'show keys'],
  ].map(([label = '', note = '']) => ({ label, value: '', note })),
};

/**
 * Creates the search field and buttons: without scripting, the SVG has none. Returns a function that places them next to the
 * title, or into the last row of the head.
 */
function newToolbar({ output, input }: SearchField, reset: HTMLElement, help: () => void): () => void {
  const bar = htmlElement('div', { class: 'bar' }, output, input, reset, helpButton(help));
  const container = svgElement('foreignObject', { id: 'bar', height: 34 }, bar);
  byId('head').append(container);
  return () => {
    const { widthPx, headPx } = size;
    const isNarrow = widthPx < NARROW_PX;
    const rows = widthPx < NARROWEST_PX ? 2 : 1;
    bar.classList.toggle('narrow', rows > 1);
    const y = isNarrow ? headPx - rows * HEAD.toolbarRowPx - 4 : 8;
    const width = isNarrow ? widthPx - 2 * HEAD.marginPx : HEAD.toolbarPx;
    const x = widthPx - HEAD.marginPx - width;
    setAttributes(container, { x, y, width, height: rows * HEAD.toolbarRowPx - 2 });
  };
}
