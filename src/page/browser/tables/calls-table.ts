/**
 * The table of the calls that the stack chart draws: its text version.
 */
import { formatMany } from '../../../render/format.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { boundsOf, callDuration, endingText } from '../../view/captions/chart.js';
import { momentText } from '../../view/captions/time.js';
import { shortLabel } from '../../view/captions/wakings.js';
import type { Views } from '../../view/views.js';
import type { Waking } from '../../view/waking-index.js';
import type { DrawnChart } from '../chart/drawn-chart.js';
import type { StackChart } from '../chart/stack-chart.js';
import { type TableColumn, VirtualTable } from './virtual-table.js';

interface CallRow {
  readonly box: number;
  readonly name: string;
  readonly startNs: number;
  readonly ns: number;
  readonly start: string;
  readonly duration: string;
  readonly depth: number;
  readonly ending: string;
  /** Of waits; empty: not known. */
  readonly wokenBy: string;
}

export class CallsTable {
  readonly element: HTMLElement;
  private readonly count = html('span', {});
  private readonly table: VirtualTable<CallRow>;
  private sortedBy = 'duration';

  constructor(
    private readonly views: Views,
    private readonly chart: StackChart,
  ) {
    this.table = new VirtualTable('Calls', {
      choose: ({ box }) => chart.choose(box),
      sort: (by) => {
        this.sortedBy = by;
        this.show();
      },
      menu: ({ box }, xPx, yPx, back) => chart.openMenuOf(box, xPx, yPx, back),
    });
    this.element = html('div', { class: 'listed' }, html('div', { class: 'above' }, this.count), this.table.element);
  }

  show(): void {
    const { drawn } = this.chart;
    if (drawn === null) return;
    const rows = this.rowsOf(drawn);
    const { count } = drawn.calls;
    const listed = rows.length < count ? `, the longest ${formatMany(rows.length, 'call')} of them listed` : '';
    this.count.textContent = `${formatMany(count, 'call')} drawn${listed}; choose one to mark it, again to zoom in`;
    const isChosen = ({ box }: CallRow) => this.chart.isSelected(box);
    this.table.show(
      { rows, columns: this.views.wakings === null ? COLUMNS : [...COLUMNS, WOKEN_BY], sortedBy: this.sortedBy },
      { isChosen },
    );
  }

  private rowsOf(chart: DrawnChart): CallRow[] {
    const { thread, boxes, calls } = chart;
    return calls.boxes.map((box) => {
      const { startNs, endNs } = boundsOf(boxes, box);
      return {
        box,
        name: this.views.names[thread.symbol[boxes.node[box]]] as string,
        startNs,
        ns: endNs - startNs,
        start: momentText(startNs, 1, thread.durationNs),
        duration: callDuration({ startNs, endNs }, boxes.ending[box]),
        depth: boxes.row[box] + 1,
        ending: endingText(boxes.ending[box]),
        wokenBy: wakerText(chart.wakingOf(box)),
      };
    });
  }
}

function wakerText(waking: Waking | null): string {
  return waking === null ? '' : shortLabel(waking, 'waiter');
}

const WOKEN_BY: TableColumn<CallRow> = {
  key: 'woken',
  title: 'Woken by',
  hint: 'the thread that ended the wait',
  widthPx: [90, 200],
  isText: true,
  value: ({ wokenBy }) => wokenBy,
  cell: ({ wokenBy }) => html('bdi', { title: wokenBy }, wokenBy),
};

const COLUMNS: readonly TableColumn<CallRow>[] = [
  { key: 'duration', title: 'Duration', widthPx: [96, 96], value: ({ ns }) => ns, cell: ({ duration }) => duration },
  {
    key: 'start',
    title: 'Start',
    hint: 'since the start of the recording',
    widthPx: [118, 118],
    value: ({ startNs }) => startNs,
    cell: ({ start }) => start,
  },
  {
    key: 'depth',
    title: 'Depth',
    hint: 'functions on the stack, with itself',
    widthPx: [64, 64],
    value: ({ depth }) => depth,
    cell: ({ depth }) => String(depth),
  },
  {
    key: 'name',
    title: 'Function',
    widthPx: [130, 420],
    isNames: true,
    isText: true,
    value: ({ name }) => name,
    cell: ({ name }) => html('bdi', { title: name }, name),
  },
  {
    key: 'ending',
    title: 'Ending',
    widthPx: [150, 320],
    isText: true,
    value: ({ ending }) => ending,
    cell: ({ ending }) => html('span', { title: ending }, ending),
  },
];
