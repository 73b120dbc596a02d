/**
 * Runs the viewer in the SVG: each zoom and search changes the URL hash, and the SVG is drawn from the hash.
 */

import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import type { Paint, Wording } from '../../frames/drawing.js';
import { detailsText, type FrameDetails } from '../../frames/frame-details.js';
import type { FrameTable } from '../../frames/frame-table.js';
import type { Boxes } from '../../layout/layout.js';
import { viewWeight } from '../../layout/layout.js';
import {
  type FoundFrames,
  findFrames,
  foundShare,
  foundText,
  isBoxFound,
  matchNames,
} from '../../search/find-frames.js';
import { byId } from '../../viewer/dom.js';
import { FlameGraph } from '../../viewer/flame-graph.js';
import { isShortcut } from '../../viewer/keys.js';
import { listen } from '../../viewer/listen.js';
import type { SvgData } from '../data.js';
import { HELP } from './help.js';
import { contentWidthPx, keepHeadVisible, layOutHead, measureCharacterPx, resize, windowWidthPx } from './page.js';
import { RectFrames } from './rect-frames.js';
import { formatHash, parseHash, type State } from './state.js';
import { Toolbar } from './toolbar.js';
import { Tooltip } from './tooltip.js';

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
