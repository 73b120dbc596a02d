/**
 * Runs the viewer in the SVG: each zoom and search changes the URL hash, and the SVG is drawn from the hash.
 */

import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import { type FoundFrames, findFrames, foundShare, foundText, isBoxFound, matchNames } from '../../find-frames.js';
import type { Paint, Wording } from '../../frames/drawing.js';
import { detailsText, type FrameDetails } from '../../frames/frame-details.js';
import type { FrameTable } from '../../frames/frame-table.js';
import { type Boxes, viewWeight } from '../../layout.js';
import { byId, htmlElement, setAttributes, svgElement } from '../../viewer/dom.js';
import { FlameGraph } from '../../viewer/flame-graph.js';
import { listen } from '../../viewer/listen.js';
import { helpButton, isShortcut, resetButton, SearchField } from '../../viewer/search-field.js';
import type { SvgData } from '../data.js';
import { HEAD, NARROW_PX, NARROWEST_PX } from '../head.js';
import { contentWidthPx, keepHeadVisible, layOutHead, measureCharacterPx, resize, windowWidthPx } from './page.js';
import { RectFrames } from './rect-frames.js';
import { Tooltip } from './tooltip.js';

/** The search field and buttons, created by the script: without scripting, the SVG has none. */
interface ToolbarActions {
  readonly search: (text: string) => void;
  readonly reset: () => void;
  readonly help: () => void;
  /** Moves the focus from the search field to the frames. */
  readonly leave: () => void;
}

class Toolbar {
  readonly field: SearchField;
  private readonly reset: HTMLButtonElement;
  private readonly bar: HTMLElement;
  private readonly container: SVGElement;

  constructor({ search, reset, help, leave }: ToolbarActions) {
    this.field = new SearchField({ search, enter: leave, leave });
    const { output, input } = this.field;
    this.reset = resetButton(reset);
    this.bar = htmlElement('div', { class: 'bar' }, output, input, this.reset, helpButton(help));
    this.container = svgElement('foreignObject', { id: 'bar', height: 34 }, this.bar);
    byId('head').append(this.container);
  }

  show(search: string, result: string, problem: string, isZoomed: boolean): void {
    this.field.show(search, result, problem);
    this.reset.disabled = !isZoomed;
  }

  /** Moves the toolbar next to the title, or into the row that ends at `bottomPx`. */
  moveTo(widthPx: number, bottomPx: number): void {
    const isNarrow = widthPx < NARROW_PX;
    const rows = widthPx < NARROWEST_PX ? 2 : 1;
    this.bar.classList.toggle('narrow', rows > 1);
    const y = isNarrow ? bottomPx - rows * HEAD.toolbarRowPx - 4 : 8;
    const width = isNarrow ? widthPx - 2 * HEAD.marginPx : HEAD.toolbarPx;
    setAttributes(this.container, {
      x: widthPx - HEAD.marginPx - width,
      y,
      width,
      height: rows * HEAD.toolbarRowPx - 2,
    });
  }
}

/** What the viewer shows, and how it looks. */
export interface Picture extends SvgData {
  readonly classOf: Paint;
  readonly wording?: Wording;
  readonly detailsOf: (boxes: Boxes, box: number) => FrameDetails;
}

export class Viewer {
  private readonly picture: Picture;
  private readonly table: FrameTable;
  private readonly frames: RectFrames;
  private readonly characterPx = measureCharacterPx();
  private readonly graph: FlameGraph;
  private readonly tooltip = new Tooltip(this.characterPx);
  private readonly toolbar = new Toolbar({
    search: (search) => this.go({ ...this.state, search }),
    reset: () => this.zoom(ROOT, ROOT),
    help: () => this.toggleHelp(),
    leave: () => this.graph.focus(this.graph.focusedBox),
  });
  private state: State;
  /** States that Esc returns to. */
  private readonly previous: State[] = [];
  private widthPx = 0;
  /** Largest row count so far: clicked frames keep their height. */
  private minRows = 0;
  private isHelpOpen = false;

  constructor(picture: Picture) {
    this.picture = picture;
    this.table = picture.table;
    this.frames = new RectFrames(picture.settings.isIcicle);
    this.graph = new FlameGraph(this.frames, this.characterPx, (box) => detailsText(this.detailsOf(box)));
    this.state = parseHash(location.hash, this.table);
  }

  start(): void {
    const hide = () => this.leaveBox();
    const events = {
      hover: (box: number, { clientX, clientY }: PointerEvent) => {
        if (!this.isHelpOpen) this.showTooltip(box, clientX, clientY);
      },
      leave: hide,
      hide,
      activate: (box: number) => this.zoomTo(box),
      focused: (box: number, element: Element) => {
        const { left, top } = element.getBoundingClientRect();
        this.showTooltip(box, left, top + 8, 'keys');
      },
    };
    // focus events from the document: Chromium makes a group with focus listeners focusable
    listen(this.graph, byId('boxes'), events, document);
    document.addEventListener('keydown', (event) => this.press(event));
    addEventListener('hashchange', () => this.readAddress());
    addEventListener('resize', () => this.draw());
    addEventListener('scroll', keepHeadVisible);
    this.draw();
    this.graph.reveal(this.firstBox);
  }

  /** Handles a change of the address by the user or the back button. */
  private readAddress(): void {
    const state = parseHash(location.hash, this.table);
    if (formatHash(state) !== formatHash(this.state)) this.show(state);
  }

  private show(state: State): void {
    const isZoomed = state.first !== this.state.first || state.last !== this.state.last;
    this.state = state;
    this.draw();
    if (!isZoomed) return;
    this.graph.focusedBox = this.firstBox;
    this.graph.reveal(this.firstBox);
  }

  private draw(): void {
    const { graph, table } = this;
    const { search, first } = this.state;
    const { isMatch, problem } = matchNames(table.names, search);
    const found = isMatch && findFrames(table, isMatch);
    const { hasFocus, focusedBox } = graph;
    this.drawGraph(found);
    this.leaveBox();
    if (hasFocus) graph.focus(this.firstBox);
    else {
      graph.setTabStop(this.firstBox);
      graph.focusedBox = Math.min(focusedBox, graph.boxes.length - 1);
    }
    this.toolbar.show(search, this.resultOf(found), problem, first !== ROOT);
    this.toolbar.moveTo(this.widthPx, this.frames.headPx);
  }

  private drawGraph(found: FoundFrames | null): void {
    const { graph, frames, table } = this;
    const { settings, classOf, wording } = this.picture;
    const widthPx = windowWidthPx();
    frames.headPx = layOutHead(widthPx);
    graph.draw({
      ...this.state,
      ...settings,
      table,
      widthPx: contentWidthPx(widthPx),
      minRows: this.minRows,
      classOf,
      ...(wording && { wording }),
      isMarked: found && ((boxes, box) => isBoxFound(table, found, boxes, box)),
      dimsOthers: found !== null,
    });
    const { rowCount } = graph.drawing;
    if (!settings.isIcicle) this.minRows = rowCount;
    this.widthPx = widthPx;
    resize(widthPx, frames.headPx, rowCount);
    keepHeadVisible();
  }

  /** The first box of the siblings in view. */
  private get firstBox(): number {
    return this.graph.boxes.viewStart;
  }

  private resultOf(found: FoundFrames | null): string {
    if (found === null) return '';
    const share = foundShare(this.table, found, this.state.first, this.state.last);
    return foundText(share, viewWeight(this.graph.boxes), found.matches[ROOT] as number);
  }

  private go(state: State): void {
    const hash = formatHash(state);
    if (hash === formatHash(this.state)) return;
    if (state.search !== this.state.search)
      location.replace(hash); // typing adds no entries to the history
    else location.hash = hash;
    this.show(state);
  }

  private zoom(first: NodeId, last: NodeId): void {
    if (first === this.state.first && last === this.state.last) return;
    this.previous.push(this.state);
    this.go({ ...this.state, first, last });
  }

  private zoomTo(box: number): void {
    const { node, lastNode } = this.graph.boxes;
    this.graph.focusedBox = box;
    this.zoom(node[box], lastNode[box]);
  }

  private goBack(): void {
    const { search } = this.state;
    if (this.isHelpOpen) this.toggleHelp();
    else if (search !== '') this.go({ ...this.state, search: '' });
    else this.go({ ...(this.previous.pop() ?? { first: ROOT, last: ROOT }), search });
  }

  private press(event: KeyboardEvent): void {
    const { key, target } = event;
    if (isShortcut(event) || (key === 'Enter' && target instanceof HTMLElement)) return;
    const actions: Readonly<Record<string, () => void>> = {
      Enter: () => this.zoomTo(this.graph.focusedBox),
      Escape: () => this.goBack(),
      '/': () => this.toolbar.field.focus(),
      r: () => this.zoom(ROOT, ROOT),
      '?': () => this.toggleHelp(),
    };
    const action = actions[key];
    if (!action && !this.graph.moveFocus(key)) return;
    event.preventDefault();
    action?.();
  }

  private showTooltip(box: number, xPx: number, yPx: number, className?: string): void {
    this.graph.markBox(box, className);
    this.tooltip.show(this.detailsOf(box), { xPx, yPx }, this.widthPx);
  }

  private detailsOf(box: number): FrameDetails {
    return this.picture.detailsOf(this.graph.boxes, box);
  }

  private leaveBox(): void {
    if (this.isHelpOpen) return;
    this.graph.unmark();
    this.tooltip.hide();
  }

  private toggleHelp(): void {
    this.isHelpOpen = !this.isHelpOpen;
    if (!this.isHelpOpen) return this.leaveBox();
    const { widthPx } = this;
    this.tooltip.show(HELP, { xPx: widthPx, yPx: this.frames.headPx }, widthPx);
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

/** Converts the state of the viewer to and from the URL hash, so that links and reloads show the same view. */
interface State {
  /** The siblings that fill the width, usually one frame. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly search: string;
}

/** Parses "#zoom=12-15&search=mem"; ignores invalid parts. */
function parseHash(hash: string, table: FrameTable): State {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const search = params.get('search') ?? '';
  const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(params.get('zoom') ?? '') ?? [];
  const first = Number(from);
  const last = Number(to);
  const isValid = first <= last && last < table.tree.length && table.parent[first] === table.parent[last];
  return isValid ? { first, last, search } : { first: ROOT, last: ROOT, search };
}

function formatHash({ first, last, search }: State): string {
  const params = new URLSearchParams();
  if (first !== ROOT) params.set('zoom', first === last ? `${first}` : `${first}-${last}`);
  if (search !== '') params.set('search', search);
  return `#${params}`;
}
