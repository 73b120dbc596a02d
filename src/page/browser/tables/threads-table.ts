/**
 * The table of threads: the times of each, and its gaps.
 */
import type { TraceGap } from '../../../model/profile/profile.js';
import type { Tid } from '../../../model/units.js';
import { capitalized, formatCount, formatDuration, formatShare, threadNoun } from '../../../render/format.js';
import { isolated } from '../../../render/frames/isolated.js';
import { button } from '../../../render/viewer/buttons.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import type { PageData, PageThread } from '../../data/page-data.js';
import { tracedHint } from '../../view/captions/details.js';
import type { State } from '../../view/state.js';
import { choiceOf, chosenRow, type ThreadRow, threadChoices, titleOf } from '../../view/threads.js';
import type { Views } from '../../view/views.js';
import type { Action, Menu } from '../menu.js';
import { PARTS } from './function-columns.js';
import { recordedStrip, STRIP_PX } from './recorded-strip.js';
import { type ChoiceMode, type TableColumn, VirtualTable } from './virtual-table.js';

export interface ThreadsTableEvents {
  readonly change: (change: Partial<State>) => void;
  readonly changeLayout: (change: Partial<State>) => void;
  readonly openChart: (tid: Tid) => void;
}

function isPartOf({ threads }: ThreadRow, { threads: chosen }: ThreadRow): boolean {
  return threads.every((index) => chosen.includes(index));
}

export class ThreadsTable {
  readonly element: HTMLElement;
  private readonly idle = html('input', { type: 'checkbox' });
  private readonly table: VirtualTable<ThreadRow>;
  private readonly recorded: PageData;
  private readonly hasSwitches: boolean;
  private readonly rows: readonly ThreadRow[];
  private readonly views: Views;
  private shown: readonly unknown[] = [];
  private readonly change: ThreadsTableEvents['change'];
  private readonly openChart: ThreadsTableEvents['openChart'];
  private chosen!: ThreadRow; // set by the first draw
  /** As in the state. */
  private against = '';
  private readonly gapsOf = new Map<number, TraceGap[]>();

  /** `menu`: of a thread. */
  constructor(views: Views, menu: Menu, { change, changeLayout, openChart }: ThreadsTableEvents) {
    const { data: recorded, threads: rows, hasSwitches } = views;
    this.views = views;
    this.change = change;
    this.openChart = openChart;
    this.recorded = recorded;
    this.rows = rows;
    for (const gap of recorded.quality.gaps) {
      const gaps = this.gapsOf.get(gap.tid);
      if (gaps) gaps.push(gap);
      else this.gapsOf.set(gap.tid, [gap]);
    }
    this.hasSwitches = hasSwitches;
    this.table = new VirtualTable('Threads', {
      choose: (row, how, through) => this.choose(this.choiceOf(row, how, through)),
      sort: (threadsSort) => changeLayout({ threadsSort }),
      menu: (row, xPx, yPx, back) => menu.open(isolated(row.name), this.actionsOf(row), xPx, yPx, back),
    });
    this.element = html('div', { class: 'listed' }, this.above(rows, change), this.table.element);
  }

  show(state: State): void {
    const { threads, hidesIdle, threadsSort, against } = state;
    const chosen = chosenRow(this.rows, threads, hidesIdle);
    const isSeveral = chosen.key.startsWith('tids:');
    this.idle.checked = hidesIdle;
    this.chosen = chosen;
    this.against = against;
    const marks = { isChosen: (row: ThreadRow) => row.key === chosen.key || (isSeveral && isPartOf(row, chosen)) };
    const counted = this.views.threadsAt(state);
    const sortedBy = threadsSort || this.views.widthOf(state);
    const shown = [counted, hidesIdle, sortedBy, this.views.timeline, chosen.key, against];
    if (shown.every((part, at) => part === this.shown[at])) return this.table.mark(marks);
    this.shown = shown;
    this.table.show({ rows: threadChoices(counted, hidesIdle), columns: this.columns(), sortedBy }, marks);
  }

  /** Threads are not compared with themselves. */
  private choose(threads: string): void {
    this.change({ threads, ...(threads === this.against && { against: '' }) });
  }

  private actionsOf(row: ThreadRow): Action[] {
    const tid = this.chartTidOf(row);
    return [
      { text: 'Only this row', key: 'Enter', act: () => this.choose(row.key) },
      ...(tid === null ? [] : [{ text: 'Stack chart', key: '', act: () => this.openChart(tid) }]),
      ...(this.canCompare(row)
        ? [{ ...this.comparison(row), text: `${this.comparison(row).text} with ${titleOf(this.chosen)}` }]
        : []),
    ];
  }

  /** All threads together are not compared with a part of them. */
  private canCompare({ key }: ThreadRow): boolean {
    return this.chosen.key !== 'all' && key !== 'all' && key !== this.chosen.key;
  }

  /** Compares the chosen threads with a row; with the row that they are compared with, the other way round. */
  private comparison(row: ThreadRow): Action {
    const { chosen, against } = this;
    const isSwapped = row.key === against;
    return {
      text: isSwapped ? 'Swap' : 'Compare',
      key: '',
      act: () => this.change(isSwapped ? { threads: against, against: chosen.key } : { against: row.key }),
    };
  }

  private compareButton(row: ThreadRow): HTMLElement | string {
    if (!this.canCompare(row)) return '';
    const { text, act } = this.comparison(row);
    return this.rowButton(text, `${text}: ${titleOf(this.chosen)}, ${titleOf(row)}`, act);
  }

  /** A button of a row; by keys, the menu of the row has it. */
  private rowButton(text: string, hint: string, act: () => void): HTMLElement {
    const pressed = button(text, hint, () => {});
    pressed.tabIndex = -1;
    pressed.addEventListener('click', (event) => {
      event.stopPropagation();
      act();
    });
    return pressed;
  }

  /** Returns the thread of a row that has a stack chart; null: none. */
  private chartTidOf({ threads }: ThreadRow): Tid | null {
    const [index, ...others] = threads;
    const tid = index === undefined || others.length > 0 ? undefined : this.recorded.threads[index]?.tid;
    return this.views.timeline?.threads.find((timed) => timed.tid === tid)?.tid ?? null;
  }

  private chartButton(row: ThreadRow): HTMLElement | string {
    const chart = this.chartTidOf(row);
    if (chart === null) return '';
    return this.rowButton('Stack chart', `calls of ${row.name} ${row.which} in the order of time`, () =>
      this.openChart(chart),
    );
  }

  /** Returns the choice for a click: the row alone; the selection with or without the row; or all rows between two. */
  private choiceOf(row: ThreadRow, how: ChoiceMode, through: readonly ThreadRow[]): string {
    const { chosen, rows } = this;
    if (how === 'alone') return row.key;
    const before = how === 'added' && chosen.key !== 'all' ? chosen.threads : [];
    const selected = new Set(before);
    const added = how === 'added' ? [row] : through;
    const isRemoved = how === 'added' && row.threads.every((index) => selected.has(index));
    for (const index of added.filter(({ key }) => key !== 'all').flatMap(({ threads }) => threads)) {
      if (isRemoved) selected.delete(index);
      else selected.add(index);
    }
    return choiceOf(rows, selected);
  }

  private above(rows: readonly ThreadRow[], change: (change: Partial<State>) => void): HTMLElement {
    const count = rows.filter(({ isIdle }) => isIdle).length;
    this.idle.addEventListener('change', () => change({ hidesIdle: this.idle.checked }));
    const label = html('label', {}, this.idle, ` hide idle threads: ${formatCount(count)} only waited`);
    label.hidden = count === 0 || count === rows.length;
    const hint = html(
      'span',
      {},
      'Ctrl+click or Ctrl+Enter adds a thread, Shift a range. Choose a thread to compare it with others',
    );
    hint.hidden = rows.length < 2;
    return html('div', { class: 'above' }, label, hint);
  }

  private columns(): TableColumn<ThreadRow>[] {
    const { weight, merged } = this.recorded.meta;
    const withoutSwitches = this.hasSwitches ? [] : ['off-cpu'];
    const left = [
      ...(this.views.isBlockedTime ? ['cpu', 'busy', 'outside', 'off-cpu', 'lost'] : withoutSwitches),
      ...(merged ? ['which', 'strip'] : []),
    ];
    return this.allColumns().filter(({ key, isTime }) => (weight === 'ns' || !isTime) && !left.includes(key));
  }

  private allColumns(): TableColumn<ThreadRow>[] {
    const { isBlockedTime } = this.views;
    const duration = (
      key: string,
      title: string,
      hint: string,
      value: (row: ThreadRow) => number,
    ): TableColumn<ThreadRow> => {
      return { key, title, hint, widthPx: [70, 96], isTime: true, value, cell: (row) => formatDuration(value(row)) };
    };
    const cpu: [title: string, hint: string] = this.hasSwitches
      ? ['On CPU', 'time on a CPU']
      : ['Traced', tracedHint(this.recorded.meta)];
    return [
      {
        key: 'name',
        title: capitalized(threadNoun(this.recorded.meta)),
        widthPx: [130, Number.POSITIVE_INFINITY],
        isText: true,
        value: ({ name }) => name,
        cell: ({ name, isIdle }) =>
          html('span', { title: name }, html('bdi', {}, name), ...(isIdle ? [html('em', {}, ' idle')] : [])),
      },
      {
        key: 'which',
        title: 'TID',
        widthPx: [80, 110],
        isText: true,
        value: ({ which }) => which.padStart(12),
        cell: ({ which }) => which,
      },
      duration('wall', isBlockedTime ? 'Blocked' : 'Wall clock', 'time in the view', ({ totalNs }) => totalNs),
      duration('cpu', ...cpu, ({ onCpuNs }) => onCpuNs),
      {
        key: 'busy',
        title: '%',
        hint: `${this.hasSwitches ? 'on CPU' : 'traced'}, share of its time`,
        widthPx: [56, 70],
        isTime: true,
        value: ({ onCpuNs, totalNs }) => onCpuNs / Math.max(1, totalNs),
        cell: ({ onCpuNs, totalNs }) => formatShare(onCpuNs, totalNs),
      },
      duration('outside', 'Outside', 'time in system calls and other stops', ({ outsideNs }) => outsideNs),
      duration('off-cpu', 'Off CPU', 'time off the CPU', ({ offCpuNs }) => offCpuNs),
      duration('lost', 'Lost', 'time in gaps of the trace', ({ lostNs }) => lostNs),
      {
        key: 'calls',
        ...(isBlockedTime ? PARTS : { title: 'Calls' }),
        widthPx: [60, 100],
        value: ({ calls }) => calls,
        cell: ({ calls }) => formatCount(calls),
      },
      ...(this.views.timeline === null ? [] : [this.chartColumn()]),
      ...(this.rows.length < 2 ? [] : [this.compareColumn()]),
      {
        key: 'strip',
        title: 'Recorded, gaps marked',
        widthPx: [STRIP_PX + 20, STRIP_PX + 20],
        isTime: true,
        isText: true,
        value: (row) => this.firstNs(row),
        cell: (row) => this.strip(row),
      },
    ];
  }

  private chartColumn(): TableColumn<ThreadRow> {
    const value = ({ which }: ThreadRow) => which.padStart(12);
    return {
      key: 'chart',
      title: 'Over time',
      hint: 'calls in the order of time (m)',
      widthPx: [96, 96],
      isTime: true,
      isText: true,
      value,
      cell: (row) => this.chartButton(row),
    };
  }

  private compareColumn(): TableColumn<ThreadRow> {
    return {
      key: 'compare',
      title: 'Compare',
      hint: 'the chosen threads with others (m)',
      widthPx: [84, 84],
      isText: true,
      value: ({ which }) => which.padStart(12),
      cell: (row) => this.compareButton(row),
    };
  }

  private firstNs({ threads }: ThreadRow): number {
    return threads.reduce(
      (firstNs, at) => Math.min(firstNs, this.recorded.threads[at]?.startNs ?? 0),
      Number.POSITIVE_INFINITY,
    );
  }

  private strip({ threads }: ThreadRow): SVGSVGElement {
    const own = threads.map((index) => this.recorded.threads[index] as PageThread);
    const lostNs = threads.reduce((sum, index) => sum + (this.rows[index]?.lostNs ?? 0), 0);
    const gaps = own.flatMap(({ tid }) => this.gapsOf.get(tid) ?? []);
    return recordedStrip(this.recorded.meta, own, gaps, lostNs);
  }
}
