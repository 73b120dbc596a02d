/**
 * The table of threads: the times of each, and its gaps.
 */

import { groupBy } from '../../../model/groups.js';
import type { TraceGap } from '../../../model/profile/profile.js';
import type { Bounds, Nanoseconds, Tid } from '../../../model/units.js';
import {
  capitalized,
  formatCount,
  formatDuration,
  formatMany,
  formatShare,
  threadNoun,
} from '../../../render/format.js';
import { type FunctionNumbers, KERNEL_COLUMNS } from '../../../render/function-columns.js';
import { htmlElement as html, svgElement as svg } from '../../../render/viewer/dom.js';
import { button } from '../../../render/viewer/search-field.js';
import { isolated } from '../../../render/visible-text.js';
import type { PageData, PageThread } from '../../data/page-data.js';
import { tracedHint } from '../../view/captions/details.js';
import { metricOf, type State } from '../../view/state.js';
import { choiceOf, chosenRow, type ThreadRow, threadChoices, titleOf } from '../../view/threads.js';
import type { Views } from '../../view/views.js';
import type { StackChart } from '../chart/stack-chart.js';
import type { Action, Menu } from '../menu.js';
import type { Navigation } from '../platform/navigation.js';
import { type ChoiceMode, type TableColumn, VirtualTable } from './virtual-table.js';

/** In narrow tables, names and thread ids matter more than these. */
const RUNNING_FROM_PX = 420;
const SHARE_FROM_PX = 520;
const MANY_FROM_PX = 640;

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
  private shown: readonly unknown[] = [];
  private chosen!: ThreadRow; // set by the first draw
  /** As in the state. */
  private against = '';
  private readonly gapsOf: ReadonlyMap<Tid, TraceGap[]>;

  /** `menu`: of a thread. */
  constructor(
    private readonly views: Views,
    menu: Menu,
    private readonly navigation: Navigation,
    private readonly chart: StackChart,
  ) {
    const { data: recorded, threads: rows, hasSwitches } = views;
    this.recorded = recorded;
    this.rows = rows;
    this.gapsOf = groupBy(recorded.quality.gaps, ({ tid }) => tid);
    this.hasSwitches = hasSwitches;
    this.table = new VirtualTable('Threads', {
      choose: (row, how, through) => {
        const key = this.choiceOf(row, how, through);
        this.chosen = chosenRow(this.rows, key, this.idle.checked); // the next key may come before the table is drawn
        this.choose(key);
      },
      sort: (threadsSort) => navigation.changeLayout({ threadsSort }),
      menu: (row, xPx, yPx, back) => menu.open(isolated(row.name), this.actionsOf(row), xPx, yPx, back),
    });
    this.element = html('div', { class: 'listed' }, this.above(rows), this.table.element);
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
    const sortedBy = threadsSort || metricOf(this.views.widthOf(state));
    const shown = [counted, hidesIdle, sortedBy, this.views.timeline, chosen.key, against];
    if (shown.every((part, at) => part === this.shown[at])) return this.table.mark(marks);
    this.shown = shown;
    this.table.show(
      { rows: threadChoices(counted, hidesIdle), columns: this.columns(this.views.isBlockedAt(state)), sortedBy },
      marks,
    );
  }

  /** Threads are not compared with themselves. */
  private choose(threads: string): void {
    this.navigation.change({ threads, ...(threads === this.against && { against: '' }) });
  }

  private actionsOf(row: ThreadRow): Action[] {
    const tid = this.chartTidOf(row);
    return [
      { text: 'Only this row', key: 'Enter', act: () => this.choose(row.key) },
      ...(tid === null ? [] : [{ text: 'Stack chart', key: '', act: () => this.chart.open(tid) }]),
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
      act: () => this.navigation.change(isSwapped ? { threads: against, against: chosen.key } : { against: row.key }),
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
      this.chart.open(chart),
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

  private above(rows: readonly ThreadRow[]): HTMLElement {
    const count = rows.filter(({ isIdle }) => isIdle).length;
    this.idle.addEventListener('change', () => this.navigation.change({ hidesIdle: this.idle.checked }));
    const label = html('label', {}, this.idle, ` hide idle threads: ${formatCount(count)} only waited`);
    label.hidden = count === 0 || count === rows.length;
    const hint = html(
      'span',
      {},
      'Ctrl+click or Ctrl+Enter adds a row, Shift a range. Choose a row to compare it with others',
    );
    hint.hidden = rows.length < 2;
    return html('div', { class: 'above' }, label, hint);
  }

  private columns(isBlockedTime: boolean): TableColumn<ThreadRow>[] {
    const { weight, merged } = this.recorded.meta;
    const withoutSwitches = this.hasSwitches ? [] : ['off-cpu'];
    const left = [
      ...(isBlockedTime ? ['cpu', 'busy', 'outside', 'off-cpu', 'lost'] : withoutSwitches),
      ...(merged ? ['which', 'strip'] : []),
      ...(this.views.timeline === null ? ['chart'] : []),
      ...(this.rows.length < 2 ? ['compare'] : []),
    ];
    return this.allColumns(isBlockedTime).filter(
      ({ key, isTime }) => (weight === 'ns' || !isTime) && !left.includes(key),
    );
  }

  private allColumns(isBlockedTime: boolean): TableColumn<ThreadRow>[] {
    const duration = (
      key: string,
      title: string,
      hint: string,
      value: (row: ThreadRow) => number,
      fromPx = MANY_FROM_PX,
    ): TableColumn<ThreadRow> => {
      const cell = (row: ThreadRow) => formatDuration(value(row));
      const widthPx = title.length > 8 ? 104 : 86;
      return { key, title, hint, widthPx: [widthPx, widthPx], fromPx, isTime: true, value, cell };
    };
    const running = this.hasSwitches ? 'time on a CPU' : tracedHint(this.recorded.meta);
    return [
      duration('wall', isBlockedTime ? 'Blocked' : 'Wall clock', 'time in the view', ({ totalNs }) => totalNs, 0),
      duration('cpu', 'Running', running, ({ onCpuNs }) => onCpuNs, RUNNING_FROM_PX),
      {
        key: 'busy',
        title: 'Running %',
        hint: 'running, share of its time',
        widthPx: [96, 96],
        fromPx: SHARE_FROM_PX,
        isTime: true,
        value: ({ onCpuNs, totalNs }) => onCpuNs / Math.max(1, totalNs),
        cell: ({ onCpuNs, totalNs }) => formatShare(onCpuNs, totalNs),
      },
      duration('outside', 'Waiting', 'time in system calls and other stops', ({ outsideNs }) => outsideNs),
      duration('off-cpu', 'Off CPU', 'time off the CPU', ({ offCpuNs }) => offCpuNs),
      ...(this.views.hasKernel
        ? KERNEL_COLUMNS.filter(({ name }) => name !== 'off-CPU').map(({ key, name, title, hint }) =>
            duration(name, capitalized(title), hint, (row) => (row as Partial<FunctionNumbers>)[key] ?? 0),
          )
        : []),
      duration('lost', 'Lost', 'time in gaps of the trace', ({ lostNs }) => lostNs),
      {
        key: 'calls',
        title: isBlockedTime ? 'Parts' : 'Calls',
        ...(isBlockedTime && { hint: 'parts of waits' }),
        widthPx: [86, 86],
        fromPx: MANY_FROM_PX,
        value: ({ calls }) => calls,
        cell: ({ calls }) => formatCount(calls),
      },
      {
        key: 'name',
        title: capitalized(threadNoun(this.recorded.meta)),
        widthPx: [130, 300],
        isNames: true,
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
      {
        key: 'chart',
        title: 'Over time',
        hint: 'calls in the order of time (m)',
        widthPx: [96, 96],
        isTime: true,
        isText: true,
        value: ({ which }) => which.padStart(12),
        cell: (row) => this.chartButton(row),
      },
      {
        key: 'compare',
        title: 'Compare',
        hint: 'the chosen threads with others (m)',
        widthPx: [84, 84],
        isText: true,
        value: ({ which }) => which.padStart(12),
        cell: (row) => this.compareButton(row),
      },
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

/** Draws the recording from start to end: when threads were observed, and their gaps. */
const STRIP_PX = 170;
const MIN_GAP_PX = 1;

/** `threads`: at least one. `gaps`, `lostNs`: of all of them. */
function recordedStrip(
  recording: Bounds,
  threads: readonly Bounds[],
  gaps: readonly TraceGap[],
  lostNs: Nanoseconds,
): SVGSVGElement {
  const lengthNs = Math.max(1, recording.endNs - recording.startNs);
  const at = (ns: number) => STRIP_PX * Math.min(1, Math.max(0, (ns - recording.startNs) / lengthNs));
  const fromPx = at(threads.reduce((ns, { startNs }) => Math.min(ns, startNs), Number.POSITIVE_INFINITY));
  const toPx = at(threads.reduce((ns, { endNs }) => Math.max(ns, endNs), 0));
  const marks = gaps.map(({ atNs, lengthNs }) => {
    const widthPx = Math.max(MIN_GAP_PX, at(atNs + lengthNs) - at(atNs));
    return svg('rect', { class: 'gap', x: at(atNs), y: 0, width: widthPx, height: 12 });
  });
  const text = gaps.length === 0 ? 'no gaps' : `${formatMany(gaps.length, 'gap')}, ${formatDuration(lostNs)} lost`;
  return svg(
    'svg',
    { class: 'strip', width: STRIP_PX, height: 12, role: 'img', 'aria-label': text },
    svg('title', {}, text),
    svg('rect', { class: 'span', x: fromPx, y: 3, width: Math.max(1, toPx - fromPx), height: 6 }),
    ...marks,
  );
}
