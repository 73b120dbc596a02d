/**
 * The call tree as a table: a row for each call path whose callers are open, with the numbers of its last frame; upside down,
 * functions with their callers.
 */
import type { NodeId } from '../../../model/units.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { type CallPaths, OpenPaths, type PathRow } from '../../view/call-paths.js';
import type { Painter } from '../../view/colouring.js';
import type { State } from '../../view/state.js';
import { chosenColumns, knownColumns, type NumberColumn, usualSort } from '../../view/table-columns.js';
import type { Views } from '../../view/views.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Navigation } from '../platform/navigation.js';
import { announce } from '../platform/save.js';
import type { ColumnsMenu } from './columns-menu.js';
import { cellColumn, nameCell } from './row-cells.js';
import { sorterBy, type TableColumn, VirtualTable } from './virtual-table.js';

/** Rows are indented by level, less in narrow tables; deeper ones no more, to leave room for names. */
const INDENT_PX = 13;
const INDENT_SHARE = 1 / 24;
const MAX_INDENT_SHARE = 0.4;
/** Of what opens and closes a row. */
const TWISTY_PX = 18;

export class CallTreeTable {
  readonly element: HTMLElement;
  private readonly table: VirtualTable<PathRow>;
  /** Of callees, and of callers: null until it is seen first. */
  private readonly open: Record<'callees' | 'callers', OpenPaths | null> = { callees: null, callers: null };
  private paths!: CallPaths; // set by the first draw
  private state!: State; // likewise
  private rows: readonly PathRow[] = [];
  private known: readonly NumberColumn[] = [];
  private shown: readonly unknown[] = [];

  constructor(
    private readonly views: Views,
    private readonly menu: ColumnsMenu,
    private readonly characterPx: number,
    navigation: Navigation,
    actions: FrameActions,
  ) {
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

  show(state: State): void {
    const { views } = this;
    const paths = views.callPathsAt(state);
    const { isMatch } = views.namesAt(state);
    const painter = views.painterAt(state);
    const width = views.widthOf(state);
    const { functionsSort, columns, isInverted } = state;
    const shown = [paths, isMatch, painter, width, functionsSort, columns];
    const isSame = shown.every((part, at) => part === this.shown[at]);
    this.shown = shown;
    this.state = state;
    this.paths = paths;
    if (!isSame) {
      const { totalWeight, table } = paths;
      const maxCalls = table.tree.calls.reduce((most, calls) => Math.max(most, calls), 0);
      this.known = knownColumns({
        ...{ views, width, isInverted, totalWeight, maxCalls },
        ...{ isTree: true, sides: views.sidesAt(state) },
      });
    }
    this.menu.show(this.known, columns);
    if (isSame) this.table.mark(this.marks());
    else this.draw(painter);
  }

  private get direction(): 'callees' | 'callers' {
    return this.state.isInverted ? 'callers' : 'callees';
  }

  /** The paths that are open: at first, the heaviest. */
  private get opened(): OpenPaths {
    let open = this.open[this.direction];
    if (open === null) {
      open = new OpenPaths();
      this.paths.openHeaviest(open);
      this.open[this.direction] = open;
    }
    return open;
  }

  private draw(painter = this.views.painterAt(this.state)): void {
    const { functionsSort, columns: chosen, isInverted } = this.state;
    const numbers = chosenColumns(this.known, chosen).map((column) => cellColumn(column, this.paths.totalWeight));
    const columns = [...numbers, this.pathColumn(painter)] as readonly TableColumn<PathRow>[];
    const sortedBy = functionsSort || usualSort({ isInverted, sides: this.views.sidesAt(this.state) });
    this.rows = this.paths.rows(this.opened, sorterBy(columns, sortedBy));
    this.table.show({ rows: this.rows, columns, sortedBy, isSorted: true }, this.marks());
  }

  private marks() {
    const { views, state } = this;
    const { isMatch } = views.namesAt(state);
    return {
      isChosen: ({ symbol }: PathRow) => symbol === state.chosen,
      ...(isMatch && { isFound: ({ symbol }: PathRow) => isMatch[symbol] === true }),
      levelOf: ({ level, isOpen }: PathRow) => ({ level, isOpen }),
    };
  }

  private pathColumn({ classOf }: Pick<Painter, 'classOf'>): TableColumn<PathRow> {
    const { views, characterPx } = this;
    return {
      key: 'name',
      title: this.direction === 'callers' ? 'Function, then its callers' : 'Call path',
      widthPx: [120, Number.POSITIVE_INFINITY],
      isNames: true,
      isText: true,
      value: ({ symbol }) => views.names[symbol] as string,
      cell: (row, widthPx) => {
        const stepPx = Math.min(INDENT_PX, INDENT_SHARE * widthPx);
        const indentPx = Math.min((row.level - 1) * stepPx, MAX_INDENT_SHARE * widthPx);
        const availablePx = widthPx - indentPx - TWISTY_PX;
        const path = html(
          'span',
          { class: 'call-path' },
          this.twisty(row),
          ...nameCell(views, row.symbol, { colour: classOf(row.node), availablePx, characterPx }),
        );
        path.style.paddingLeft = `${indentPx}px`;
        return path;
      },
    };
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
