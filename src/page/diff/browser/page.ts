/**
 * Runs the page of a comparison: each choice changes the address, and the page is drawn from the address.
 */

import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import { readPaths, readRows } from '../../../render/diff/data.js';
import { diffPaths, tableOf, WIDTHS, type WidthOf } from '../../../render/diff/paths.js';
import { diffDetails, paintByChange, wordingOf } from '../../../render/diff/wording.js';
import {
  type FoundFrames,
  findFrames,
  foundShare,
  foundText,
  isBoxFound,
  matchNames,
} from '../../../render/find-frames.js';
import { type Drawing, ROW_PX } from '../../../render/frames/drawing.js';
import { detailsText, type FrameDetails } from '../../../render/frames/frame-details.js';
import type { FrameTable } from '../../../render/frames/frame-table.js';
import { viewWeight } from '../../../render/layout.js';
import { measureCharacterPx } from '../../../render/svg/browser/page.js';
import { RectFrames } from '../../../render/svg/browser/rect-frames.js';
import { byId, htmlElement as html, setAttributes } from '../../../render/viewer/dom.js';
import { FlameGraph } from '../../../render/viewer/flame-graph.js';
import { listen } from '../../../render/viewer/listen.js';
import { isShortcut, resetButton, SearchField, toggle } from '../../../render/viewer/search-field.js';
import { Tooltip } from '../../browser/graph/tooltip.js';
import { FunctionsTable } from './functions-table.js';

/** Converts the state of the page to and from the address, so that links and reloads show the same view. */
interface PageState {
  readonly widthOf: WidthOf;
  readonly isIcicle: boolean;
  /** The siblings that fill the width, usually one frame. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly search: string;
  /** A column of the table, with prefix "-" if the smallest comes first. */
  readonly sort: string;
}

const DEFAULT_SORT = 'totalNs';

/** Ignores invalid parts. `start`: what the address leaves out. */
function parseState(hash: string, table: Pick<FrameTable, 'parent'>, start: PageState): PageState {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(params.get('zoom') ?? '') ?? [];
  const [first, last] = [Number(from), Number(to)];
  const { parent } = table;
  const isZoom = first <= last && last < parent.length && parent[first] === parent[last];
  const widthOf = WIDTHS.find((name) => name === params.get('width')) ?? start.widthOf;
  const icicle = params.get('icicle');
  return {
    widthOf,
    isIcicle: icicle === null ? start.isIcicle : icicle === '1',
    ...(isZoom ? { first, last } : { first: ROOT, last: ROOT }),
    search: params.get('search') ?? '',
    sort: params.get('sort') ?? start.sort,
  };
}

function formatState({ widthOf, isIcicle, first, last, search, sort }: PageState, start: PageState): string {
  const params = new URLSearchParams();
  if (widthOf !== start.widthOf) params.set('width', widthOf);
  if (isIcicle !== start.isIcicle) params.set('icicle', isIcicle ? '1' : '0');
  if (first !== ROOT) params.set('zoom', first === last ? `${first}` : `${first}-${last}`);
  if (search !== '') params.set('search', search);
  if (sort !== start.sort) params.set('sort', sort);
  return `#${params}`;
}

/** Draws the frames as rectangles in the page. */
class PageFrames extends RectFrames {
  constructor() {
    super(false);
  }

  resize({ rowCount }: Drawing, widthPx: number): void {
    const heightPx = rowCount * ROW_PX;
    setAttributes(byId('frames').parentElement as Element, {
      width: widthPx,
      height: heightPx,
      viewBox: `0 0 ${widthPx} ${heightPx}`,
    });
  }

  override scrollIntoView(element: SVGElement): void {
    element.scrollIntoView({ block: 'nearest' });
  }
}

const WIDTH_NAMES: Readonly<Record<WidthOf, string>> = { after: 'time after', before: 'time before', larger: 'larger' };

class DiffPage {
  private readonly file = readPaths(byId('data').textContent ?? '');
  private readonly paths = diffPaths(this.file.columns);
  private readonly look = { classOf: paintByChange(this.paths), wording: wordingOf(this.paths) };
  private readonly start: PageState = {
    ...this.file.settings,
    ...{ first: ROOT, last: ROOT, search: '', sort: DEFAULT_SORT },
  };
  private table: FrameTable = tableOf(this.paths, this.start.widthOf);
  private state = parseState(location.hash, this.table, this.start);
  private readonly frames = new PageFrames();
  private readonly graph = new FlameGraph(this.frames, measureCharacterPx(), (box) => detailsText(this.detailsOf(box)));
  private readonly tooltip = new Tooltip();
  private readonly functions = new FunctionsTable(readRows(byId('rows').textContent ?? ''), {
    sort: (sort) => this.go({ sort }),
    choose: (name) => this.go({ search: `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/` }),
  });
  private readonly width = html('select', { id: 'width' });
  private readonly icicle = toggle('Icicle', 'callers on top', () => this.go({ isIcicle: !this.state.isIcicle }));
  private readonly reset = resetButton(() => this.go({ first: ROOT, last: ROOT }));
  private readonly search = new SearchField({
    search: (search) => this.go({ search }),
    enter: () => this.graph.focus(this.graph.focusedBox),
    leave: () => this.graph.focus(this.graph.focusedBox),
  });

  run(): void {
    for (const name of WIDTHS) this.width.append(html('option', { value: name }, WIDTH_NAMES[name]));
    this.width.addEventListener('change', () => this.go({ widthOf: this.width.value as WidthOf }));
    const { output, input } = this.search;
    byId('bar').append(html('label', { for: 'width' }, 'Width'), this.width, this.icicle, this.reset, input, output);
    byId('functions').append(this.functions.element);
    const hide = () => this.leaveBox();
    const events = {
      hover: (box: number, { clientX, clientY }: PointerEvent) => this.showTooltip(box, clientX, clientY),
      ...{ leave: hide, hide, activate: (box: number) => this.zoomTo(box) },
      focused: (box: number, element: Element) => {
        const { left, top } = element.getBoundingClientRect();
        this.showTooltip(box, left, top + 8, 'keys');
      },
    };
    listen(this.graph, byId('boxes'), events, document);
    document.addEventListener('keydown', (event) => this.press(event));
    addEventListener('hashchange', () => this.show(parseState(location.hash, this.table, this.start)));
    addEventListener('resize', () => this.draw());
    this.draw();
  }

  private go(change: Partial<PageState>): void {
    const state = { ...this.state, ...change };
    const hash = formatState(state, this.start);
    if (change.search === undefined) location.hash = hash;
    else location.replace(hash); // typing adds no entries to the history
    this.show(state);
  }

  private show(state: PageState): void {
    if (formatState(state, this.start) === formatState(this.state, this.start)) return;
    if (state.widthOf !== this.state.widthOf) this.table = tableOf(this.paths, state.widthOf);
    this.state = state;
    this.draw();
  }

  private draw(): void {
    const { graph, table, state } = this;
    const { widthOf, isIcicle, search, first, last, sort } = state;
    const { isMatch, problem } = matchNames(table.names, search);
    const found = isMatch && findFrames(table, isMatch);
    const { hasFocus } = graph;
    this.drawGraph(found);
    graph.setTabStop(graph.boxes.viewStart);
    if (hasFocus) graph.focus(graph.boxes.viewStart);
    this.leaveBox();
    this.search.show(search, found ? this.resultOf(found, first, last) : '', problem);
    this.width.value = widthOf;
    this.icicle.setAttribute('aria-pressed', String(isIcicle));
    this.reset.disabled = first === ROOT;
    const names = new Set(table.names.filter((_, row) => isMatch?.[row]));
    this.functions.show(sort, isMatch && ((name) => names.has(name)));
  }

  private drawGraph(found: FoundFrames | null): void {
    const { graph, table, state } = this;
    const widthPx = byId('graph').clientWidth;
    graph.draw({
      ...state,
      ...this.look,
      ...{ table, widthPx, minPx: this.file.settings.minPx },
      isMarked: found && ((boxes, box) => isBoxFound(table, found, boxes, box)),
      dimsOthers: found !== null,
    });
    this.frames.resize(graph.drawing, widthPx);
  }

  private resultOf(found: FoundFrames, first: number, last: number): string {
    const share = foundShare(this.table, found, first, last);
    return foundText(share, viewWeight(this.graph.boxes), found.matches[ROOT] as number);
  }

  private zoomTo(box: number): void {
    const { node, lastNode } = this.graph.boxes;
    this.go({ first: node[box] as number, last: lastNode[box] as number });
  }

  private press(event: KeyboardEvent): void {
    const { key, target } = event;
    if (isShortcut(event) || target instanceof HTMLSelectElement) return;
    const isOnGraph = this.graph.hasFocus;
    const actions: Readonly<Record<string, () => void>> = {
      ...(isOnGraph && { Enter: () => this.zoomTo(this.graph.focusedBox) }),
      Escape: () => this.go(this.state.search === '' ? { first: ROOT, last: ROOT } : { search: '' }),
      '/': () => this.search.focus(),
      r: () => this.go({ first: ROOT, last: ROOT }),
    };
    const action = actions[key];
    if (!action && !(isOnGraph && this.graph.moveFocus(key))) return;
    event.preventDefault();
    action?.();
  }

  private showTooltip(box: number, xPx: number, yPx: number, className?: string): void {
    this.graph.markBox(box, className);
    this.tooltip.show(this.detailsOf(box), null, xPx, yPx);
  }

  private detailsOf(box: number): FrameDetails {
    return diffDetails(this.paths, this.table, this.graph.boxes, box);
  }

  private leaveBox(): void {
    this.graph.unmark();
    this.tooltip.hide();
  }
}

new DiffPage().run();
