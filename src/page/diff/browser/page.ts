/**
 * Runs the page of a comparison: each choice changes the address, and the page is drawn from the address.
 */

import { readPaths, readRows } from '../../../render/diff/data.js';
import { type DiffPaths, diffPaths, tableOf, WIDTHS, type WidthOf } from '../../../render/diff/paths.js';
import { diffDetails, paintByChange, wordingOf } from '../../../render/diff/wording.js';
import type { NameMatches } from '../../../render/find-frames.js';
import { type Drawing, ROW_PX } from '../../../render/frames/drawing.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import { byId, htmlElement as html, setAttributes } from '../../../render/viewer/dom.js';
import {
  addressParts,
  type GraphState,
  GraphViewer,
  measureCharacterPx,
  RectFrames,
  type SearchedView,
  WHOLE_GRAPH,
} from '../../../render/viewer/graph-viewer.js';
import { toggle } from '../../../render/viewer/search-field.js';
import { Tooltip } from '../../../render/viewer/tooltip.js';
import { FunctionsTable } from './functions-table.js';

interface PageState extends GraphState {
  readonly widthOf: WidthOf;
  readonly isIcicle: boolean;
  /** A column of the table, with prefix "-" if the smallest comes first. */
  readonly sort: string;
}

const WIDTH_NAMES: Readonly<Record<WidthOf, string>> = { after: 'time after', before: 'time before', larger: 'larger' };

class DiffPage extends GraphViewer<PageState> {
  private readonly paths: DiffPaths;
  private readonly look: { readonly minPx: number } & Pick<Drawing, 'classOf' | 'wording'>;
  private readonly functions = new FunctionsTable(readRows(byId('rows').textContent ?? ''), {
    sort: (sort) => this.go({ sort }),
    choose: (name) => this.go({ search: `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/` }),
  });
  private readonly width = html('select', { id: 'width' });
  private readonly icicle = toggle('Icicle', 'callers on top', () => this.go({ isIcicle: !this.state.isIcicle }));

  constructor() {
    const { columns, settings } = readPaths(byId('data').textContent ?? '');
    const { minPx, ...choices } = settings;
    const paths = diffPaths(columns);
    const initial = { ...WHOLE_GRAPH, ...choices, sort: 'totalNs' };
    super(
      new RectFrames((element) => element.scrollIntoView({ block: 'nearest' })),
      new Tooltip(),
      measureCharacterPx(),
      tableOf(paths, choices.widthOf),
      initial,
    );
    this.table = tableOf(paths, this.state.widthOf); // of the address
    this.paths = paths;
    this.look = { minPx, classOf: paintByChange(paths), wording: wordingOf(paths) };
  }

  override start(): void {
    for (const name of WIDTHS) this.width.append(html('option', { value: name }, WIDTH_NAMES[name]));
    this.width.addEventListener('change', () => this.go({ widthOf: this.width.value as WidthOf }));
    const { output, input } = this.search;
    byId('bar').append(html('label', { for: 'width' }, 'Width'), this.width, this.icicle, this.reset, input, output);
    byId('functions').append(this.functions.element);
    super.start();
  }

  protected get takesKeys(): boolean {
    return this.graph.hasFocus;
  }

  protected override read(): PageState {
    const { initial } = this;
    const params = addressParts();
    return {
      ...super.read(),
      widthOf: WIDTHS.find((name) => name === params.get('width')) ?? initial.widthOf,
      isIcicle: params.has('icicle') ? params.get('icicle') === '1' : initial.isIcicle,
      sort: params.get('sort') ?? initial.sort,
    };
  }

  protected override write(state: PageState): [name: string, text: string][] {
    const { widthOf, isIcicle, sort } = state;
    return [['width', widthOf], ['icicle', isIcicle ? '1' : '0'], ...super.write(state), ['sort', sort]];
  }

  protected override show(state: PageState): void {
    if (state.widthOf !== this.state.widthOf) this.table = tableOf(this.paths, state.widthOf);
    super.show(state);
  }

  /** Details of a frame are not shown before it is pointed at or reached by keys. */
  protected override draw(): void {
    super.draw();
    this.leaveBox();
  }

  protected drawGraph(view: SearchedView, isMatch: NameMatches['isMatch']): void {
    const { graph, state, look } = this;
    const widthPx = byId('graph').clientWidth;
    graph.draw({ ...view, ...state, ...look, widthPx });
    const heightPx = graph.drawing.rowCount * ROW_PX;
    const viewBox = `0 0 ${widthPx} ${heightPx}`;
    setAttributes(byId('frames').parentElement as Element, { width: widthPx, height: heightPx, viewBox });
    this.width.value = state.widthOf;
    this.icicle.setAttribute('aria-pressed', String(state.isIcicle));
    const names = new Set(view.table.names.filter((_, row) => isMatch?.[row]));
    this.functions.show(state.sort, isMatch && ((name) => names.has(name)));
  }

  protected detailsOf(box: number): FrameDetails {
    return diffDetails(this.paths, this.table, this.graph.boxes, box);
  }
}

new DiffPage().start();
