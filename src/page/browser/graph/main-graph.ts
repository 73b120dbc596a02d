/**
 * The main flame graph with tooltips, menu and search results.
 */

import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId, SymbolId } from '../../../model/units.js';
import { diffDetails } from '../../../render/diff/wording.js';
import { type FoundFrames, foundShare, foundText, isBoxFound } from '../../../render/find-frames.js';
import { type Drawing, widthForLabel } from '../../../render/frames/drawing.js';
import { detailsText, type FrameDetails, symbolAt } from '../../../render/frames/frame-details.js';
import { type FrameTable, nameOf } from '../../../render/frames/frame-table.js';
import { textWidth } from '../../../render/frames/labels.js';
import { type Boxes, BoxKind, sumSiblings } from '../../../render/layout.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { type FunctionTotals, pageDetails } from '../../view/captions/details.js';
import { WORDINGS } from '../../view/captions/frame-labels.js';
import { legendEntries } from '../../view/captions/legend.js';
import type { Painter } from '../../view/colouring.js';
import { type Match, nextMatch, nodeAt, pathTo, zoomedRange } from '../../view/frame-tables.js';
import type { State } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import { histogramPicture } from '../panel/histogram.js';
import type { Navigation } from '../platform/navigation.js';
import { clicksZoom } from '../platform/preferences.js';
import { Graph } from './graph.js';
import { Legend } from './legend.js';

/** Bounds for a match that is stepped to: part of the width for a long name, and rows from the frame that fills the width. */
const MAX_NAME_SHARE = 1 / 4;
const MAX_MATCH_ROWS = 200;

/** Opens the menu of a box at a point of the window, and that of an entry of the legend. */
interface MainGraphMenus {
  readonly openMenuOf: (box: number, xPx: number, yPx: number) => void;
  readonly openLibraries: (files: readonly string[], button: HTMLElement) => void;
}

export class MainGraph {
  readonly container = html('div', { class: 'graph main', id: 'graph', role: 'group', 'aria-label': 'Flame graph' });
  readonly legend = new Legend((...at) => this.menus().openLibraries(...at));
  readonly graph: Graph;
  table!: FrameTable; // set by the first draw
  painter!: Painter;
  /** Where the first click of a double click was: the panel that it opens moves the frames. */
  private clicked: Partial<State> = {};
  private found: FoundFrames | null = null;
  /** The match that was stepped to last. */
  private match: Match | null = null;
  /** Position of the pointer on a frame; null if it left or arrow keys were used since. */
  private pointer: { readonly xPx: number; readonly yPx: number } | null = null;

  constructor(
    private readonly views: Views,
    private readonly navigation: Navigation,
    private readonly tooltip: Tooltip,
    private readonly characterPx: number,
    private readonly menus: () => MainGraphMenus,
  ) {
    this.graph = new Graph(
      this.container,
      characterPx,
      {
        hover: (box, { clientX: xPx, clientY: yPx }) => {
          this.pointer = { xPx, yPx };
          this.showTooltip(box, xPx, yPx);
        },
        leave: () => {
          this.pointer = null;
          this.hideDetails();
        },
        hide: () => this.hideDetails(),
        activate: (box) => this.click(box),
        zoom: () => navigation.change(this.clicked),
        focused: (box, element) => this.focused(box, element),
        menu: (box, { clientX, clientY }) => menus().openMenuOf(box, clientX, clientY),
      },
      (box) => boxText(this.drawn(box)),
    );
  }

  /** A click selects the function, which opens the panel; where there is none, it zooms. */
  private click(box: number): void {
    const { views, navigation } = this;
    this.clicked = this.zoomOf(box);
    const symbol = this.symbolOf(box);
    if (symbol === null || clicksZoom() || !views.canOpen(symbol)) navigation.change(this.clicked);
    else navigation.change({ chosen: symbol });
  }

  /** Draws the graph. Tab keeps reaching the same frame if it is still drawn. `isOtherView`: other frames fill the width. */
  draw(state: State, isOtherView: boolean): void {
    const { views, graph } = this;
    const before = isOtherView || this.table === undefined ? null : pathTo(this.table, this.nodeOf(graph.focusedBox));
    this.table = views.tableAt(state);
    const found = views.foundAt(state);
    if (found !== this.found) this.match = null;
    this.found = found;
    const { first, last } = this.range;
    const painter = views.painterAt(state);
    this.painter = painter;
    graph.drawView({
      table: this.table,
      first,
      last,
      isIcicle: state.isIcicle,
      classOf: painter.classOf,
      wording: views.wordingAt(state) ?? WORDINGS[state.labels],
      isMarked: this.marker(),
      dimsOthers: this.found !== null,
    });
    const same = before && nodeAt(this.table, before);
    graph.setTabStop((same === null ? null : this.boxOf(same)) ?? graph.boxes.viewStart);
    graph.setRestingBox(this.match && this.boxOf(this.match.node));
    this.hideDetails();
    this.legend.show(legendEntries(this.table, graph.boxes, painter));
  }

  /** Text of the search result with the current match; empty if the search is empty or invalid. */
  get result(): string {
    if (this.found === null) return '';
    const { first, last } = this.range;
    const table = this.views.unfilteredTableAt(this.state);
    const share = foundShare(table, this.found, first, last);
    const all = this.found.matches[ROOT] as number;
    return foundText(share, sumSiblings(table, table.total, first, last), all, this.match?.rank);
  }

  /** The box that keys act on: the one below the pointer, or the one with the focus. */
  get aimedBox(): number {
    return this.pointedBox ?? this.graph.focusedBox;
  }

  /** Whether there is a box for keys to act on. */
  get isAimedAt(): boolean {
    return this.pointedBox !== null || this.graph.hasFocus;
  }

  /** Moves the focus for an arrow key; returns false for any other key. */
  step(key: string): boolean {
    const isStep = this.graph.hasFocus && this.graph.moveFocus(key);
    if (isStep) this.pointer = null;
    return isStep;
  }

  nodeOf(box: number): NodeId {
    return this.graph.boxes.node[box] as NodeId;
  }

  /** Returns the function of a box; null if it is not a single frame of a function. */
  symbolOf(box: number): SymbolId | null {
    return symbolAt(this.table, this.graph.boxes, box);
  }

  zoomTo(box: number): void {
    this.navigation.change(this.zoomOf(box));
  }

  /** What zooms to a box: a frame, or the siblings of a block. */
  zoomOf(box: number): Pick<State, 'zoom' | 'zoomLast'> {
    const { node, lastNode, kind } = this.graph.boxes;
    const [first, last] = [node[box] as NodeId, lastNode[box] as NodeId];
    const isBlock = kind[box] !== BoxKind.Frame && first !== last;
    const zoomLast = isBlock ? (this.table.tree.symbol[last] as SymbolId) : null;
    return { zoom: pathTo(this.table, first), zoomLast };
  }

  /** What zooms to the largest frame of a function; nothing, if it has none. */
  zoomOfFunction(symbol: SymbolId): Partial<State> {
    const { tree, total } = this.table;
    let largest: NodeId = ROOT;
    for (let node: NodeId = ROOT + 1; node < tree.length; node++)
      if (tree.symbol[node] === symbol && (largest === ROOT || total[node] > total[largest])) largest = node;
    return largest === ROOT ? {} : { zoom: pathTo(this.table, largest), zoomLast: null };
  }

  /**
   * Steps to the next match in the entire tree, the largest first; -1: to the previous. Zooms if its name cannot be read.
   * `takesFocus`: focuses the frame; otherwise the frame is only marked.
   */
  stepMatch(by: 1 | -1, takesFocus: boolean): void {
    const { found, table } = this;
    const match = found && nextMatch(table, found, this.match?.node ?? null, by);
    if (match === null) return;
    this.match = match;
    this.pointer = null;
    const drawn = this.boxOf(match.node);
    if (drawn === null || (this.graph.boxes.widthPx[drawn] as number) < this.readablePx(match.node))
      this.navigation.change({ zoom: this.zoomFor(match.node), zoomLast: null }, true);
    const box = this.boxOf(match.node);
    if (box === null) return;
    this.graph.setRestingBox(box);
    if (takesFocus) this.graph.focus(box);
    else this.graph.show(box);
  }

  hideDetails(): void {
    this.tooltip.hide();
    this.graph.unmark();
  }

  /** Returns which boxes are marked: matches of the search, else the selected function; null: none. */
  marker(): ((boxes: Boxes, box: number) => boolean) | null {
    const { found, table } = this;
    const { chosen } = this.state;
    if (found !== null) return (boxes, box) => isBoxFound(table, found, boxes, box);
    if (chosen === null) return null;
    return ({ node, kind }, box) => kind[box] === BoxKind.Frame && table.tree.symbol[node[box] as NodeId] === chosen;
  }

  /** The box below the pointer; it changes if the graph is redrawn below a resting pointer. */
  private get pointedBox(): number | null {
    return this.pointer && this.graph.boxBelow(this.pointer);
  }

  private get state(): State {
    return this.navigation.state;
  }

  private get range(): { first: NodeId; last: NodeId } {
    return zoomedRange(this.table, this.state);
  }

  /** Returns the width at which the name of a frame can be read; long names are shortened. */
  private readablePx(node: NodeId): number {
    const namePx = widthForLabel(textWidth(nameOf(this.table, node)), this.characterPx);
    return Math.min(namePx, MAX_NAME_SHARE * this.graph.widthPx);
  }

  /** Returns the zoom to the outermost caller that leaves the name of the match readable. */
  private zoomFor(node: NodeId): SymbolId[] {
    const { total, parent } = this.table;
    const largest = (total[node] * this.graph.widthPx) / this.readablePx(node);
    let top = node;
    for (let rows = 1; rows < MAX_MATCH_ROWS && top !== ROOT && total[parent[top]] <= largest; rows++)
      top = parent[top];
    return pathTo(this.table, top);
  }

  private boxOf(node: NodeId): number | null {
    const { kind, node: nodes, widthPx } = this.graph.boxes;
    const box = nodes.findIndex((at, box) => at === node && kind[box] === BoxKind.Frame && widthPx[box] > 0);
    return box === -1 ? null : box;
  }

  private focused(box: number, element: Element): void {
    this.graph.markBox(box);
    if (!element.matches(':focus-visible')) return;
    const { left, bottom } = element.getBoundingClientRect();
    this.showTooltip(box, Math.max(0, left), bottom - 8);
  }

  private showTooltip(box: number, xPx: number, yPx: number): void {
    this.graph.markBox(box);
    showDetails(this.tooltip, this.drawn(box), xPx, yPx);
  }

  private drawn(box: number): DrawnBox {
    return { views: this.views, state: this.state, drawing: this.graph.drawing, box };
  }
}

/**
 * Shows the tooltip of a frame in the main graph, with a histogram of call durations, and its text for screen readers.
 */
interface DrawnBox {
  readonly views: Views;
  readonly state: State;
  readonly drawing: Drawing;
  readonly box: number;
}

function boxText(drawn: DrawnBox): string {
  return detailsText(detailsAt(drawn, null));
}

/** Shows the tooltip next to a point of the window. */
function showDetails(tooltip: Tooltip, drawn: DrawnBox, xPx: number, yPx: number): void {
  const { views, state, drawing, box } = drawn;
  const symbol = symbolAt(drawing.table, drawing.boxes, box);
  const view = views.viewAt(state);
  const sums = symbol === null ? undefined : view.functions().get(symbol);
  if (sums === undefined) return tooltip.show(detailsAt(drawn, null), xPx, yPx);
  const bars = view.bars(sums.symbol);
  const histogram = bars !== null && bars.length > 1 ? histogramPicture(bars, sums, 250, 24) : null;
  tooltip.show(detailsAt(drawn, { sums, allNs: view.allNs(), line: views.lineOf(sums.symbol) }), xPx, yPx, histogram);
}

function detailsAt({ views, state, drawing, box }: DrawnBox, totals: FunctionTotals | null): FrameDetails {
  const { table, boxes } = drawing;
  const { isInverted } = state;
  const compared = views.comparedAt(state);
  if (compared !== null) return diffDetails(compared.paths, table, boxes, box);
  const about = {
    isInverted,
    width: views.widthOf(state),
    hasSwitches: views.hasSwitches,
  };
  return pageDetails(table, boxes, box, about, totals);
}
