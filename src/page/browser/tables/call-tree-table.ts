/**
 * The call tree as a table: a row for each call path whose callers are open, with the numbers of its last frame; upside down,
 * functions with their callers.
 */
import type { NodeId } from '../../../model/units.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { type CallPaths, OpenPaths, type PathRow } from '../../view/call-paths.js';
import type { Painter } from '../../view/colouring.js';
import type { State } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Navigation } from '../platform/navigation.js';
import { announce } from '../platform/save.js';
import type { ColumnsMenu } from './columns-menu.js';
import { type NumbersSource, NumbersTable } from './numbers-table.js';
import { nameCell } from './row-cells.js';
import { sorterBy, VirtualTable } from './virtual-table.js';

/** Rows are indented by level, less in narrow tables; deeper ones no more, to leave room for names. */
const INDENT_PX = 13;
const INDENT_SHARE = 1 / 24;
const MAX_INDENT_SHARE = 0.4;
/** Of what opens and closes a row. */
const TWISTY_PX = 18;

export class CallTreeTable extends NumbersTable<PathRow> {
  readonly element: HTMLElement;
  protected readonly table: VirtualTable<PathRow>;
  protected readonly ownMarks = { levelOf: ({ level, isOpen }: PathRow) => ({ level, isOpen }) };
  /** Of callees, and of callers: null until it is seen first. */
  private readonly open: Record<'callees' | 'callers', OpenPaths | null> = { callees: null, callers: null };
  private paths!: CallPaths; // set by the first draw
  private painter!: Painter; // likewise
  private rows: readonly PathRow[] = [];

  constructor(views: Views, menu: ColumnsMenu, characterPx: number, navigation: Navigation, actions: FrameActions) {
    super(views, menu, characterPx);
    this.table = new VirtualTable<PathRow>(
      'Call tree',
      {
        choose: ({ symbol }) => actions.choose(symbol),
        enter: ({ node }) => navigation.change({ zoom: this.paths.pathOf(node), zoomLast: null }),
        press: (row, key, at) => this.press(row, key, at),
        sort: (functionsSort) => navigation.changeLayout({ functionsSort }),
        menu: ({ symbol }, ...at) => actions.openMenu(symbol, ...at),
      },
      'treegrid',
    );
    this.element = html('div', { class: 'listed' }, this.table.element);
  }

  protected sourceAt(state: State): NumbersSource<PathRow> {
    const paths = this.views.callPathsAt(state);
    const painter = this.views.painterAt(state);
    const { totalWeight, table } = paths;
    this.paths = paths;
    this.painter = painter;
    return {
      isTree: true,
      totalWeight,
      maxCalls: () => table.tree.calls.reduce((most, calls) => Math.max(most, calls), 0),
      asked: [paths, painter],
      nameTitle: state.isInverted ? 'Function, then its callers' : 'Call path',
      rows: (...order) => {
        this.rows = paths.rows(this.opened, sorterBy(...order));
        return { rows: this.rows, isSorted: true };
      },
    };
  }

  /** The paths that are open: at first, the heaviest. */
  private get opened(): OpenPaths {
    const direction = this.state.isInverted ? 'callers' : 'callees';
    let open = this.open[direction];
    if (open === null) {
      open = new OpenPaths();
      this.paths.openHeaviest(open);
      this.open[direction] = open;
    }
    return open;
  }

  protected cell(row: PathRow, widthPx: number): HTMLElement {
    const stepPx = Math.min(INDENT_PX, INDENT_SHARE * widthPx);
    const indentPx = Math.min((row.level - 1) * stepPx, MAX_INDENT_SHARE * widthPx);
    const { views, painter, characterPx } = this;
    const place = { colour: painter.classOf(row.node), availablePx: widthPx - indentPx - TWISTY_PX, characterPx };
    const path = html('span', { class: 'call-path' }, this.twisty(row), ...nameCell(views, row.symbol, place));
    path.style.paddingLeft = `${indentPx}px`;
    return path;
  }

  /** By keys, the arrows do this. */
  private twisty({ node, isOpen }: PathRow): HTMLElement {
    const click = (event: Event) => {
      event.stopPropagation();
      if (isOpen !== null) this.setOpen(node, !isOpen);
    };
    const events = { click, dblclick: (event: Event) => event.stopPropagation() };
    const sign = isOpen === null ? '' : isOpen ? '▾' : '▸';
    return html('span', { class: 'twisty', 'aria-hidden': true, ...events }, sign);
  }

  private press({ node, level, isOpen }: PathRow, key: string, at: number): boolean {
    if (key === 'ArrowRight') {
      if (isOpen === false) this.setOpen(node, true);
      else if (isOpen) this.table.moveTo(at + 1);
    } else if (key === 'ArrowLeft') {
      const caller = this.rows.findLastIndex((row, before) => before < at && row.level < level);
      if (isOpen) this.setOpen(node, false);
      else if (caller >= 0) this.table.moveTo(caller);
    } else if (key === '*') this.openAll(node);
    else return false;
    return true;
  }

  private setOpen(node: NodeId, isOpen: boolean): void {
    this.opened.reach(this.paths.pathOf(node)).isOpen = isOpen;
    this.draw();
  }

  private openAll(node: NodeId): void {
    if (!this.paths.openAll(this.opened, node)) announce('Too many call paths to open all: the upper ones are open');
    this.draw();
  }
}
