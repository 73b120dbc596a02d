/**
 * All threads: what each did, and when it was lost.
 */
import type { TraceGap } from '../../../../model/profile/quality.js';
import { formatCount, formatDuration, formatMany, formatShare } from '../../../format.js';
import { htmlElement as html, svgElement as svg } from '../../../viewer/dom.js';
import { tracedHint } from '../../captions/details.js';
import type { PageData } from '../../data/page-data.js';
import type { State } from '../../view/state.js';
import { choiceOf, chosenRow, type ThreadRow, threadChoices } from '../../view/threads.js';
import type { Views } from '../../view/views.js';
import { type ChoiceMode, type TableColumn, VirtualTable } from './virtual-table.js';

export interface ThreadsTableEvents {
  readonly change: (change: Partial<State>) => void;
  readonly changeLayout: (change: Partial<State>) => void;
}

function isPartOf({ threads }: ThreadRow, { threads: chosen }: ThreadRow): boolean {
  return threads.every((place) => chosen.includes(place));
}

const STRIP_PX = 170;
const LEAST_GAP_PX = 1;

export class ThreadsTable {
  readonly element: HTMLElement;
  private readonly idle = html('input', { type: 'checkbox' });
  private readonly table: VirtualTable<ThreadRow>;
  private readonly recorded: PageData;
  private readonly hasSwitches: boolean;
  private readonly rows: readonly ThreadRow[];
  private readonly views: Views;
  private shown: readonly unknown[] = [];
  private chosen!: ThreadRow; // from the first drawing on
  private readonly gapsOf = new Map<number, TraceGap[]>();

  constructor(views: Views, { change, changeLayout }: ThreadsTableEvents) {
    const { data: recorded, threads: rows, hasSwitches } = views;
    this.views = views;
    this.recorded = recorded;
    this.rows = rows;
    for (const gap of recorded.quality.gaps) {
      const gaps = this.gapsOf.get(gap.tid);
      if (gaps) gaps.push(gap);
      else this.gapsOf.set(gap.tid, [gap]);
    }
    this.hasSwitches = hasSwitches;
    this.table = new VirtualTable('Threads', {
      choose: (row, how, through) => change({ threads: this.choiceOf(row, how, through) }),
      sort: (threadsSort) => changeLayout({ threadsSort }),
    });
    this.element = html('div', { class: 'listed' }, this.above(rows, change), this.table.element);
  }

  show(state: State): void {
    const { threads, hidesIdle, threadsSort } = state;
    const chosen = chosenRow(this.rows, threads, hidesIdle);
    const isSeveral = chosen.key.startsWith('tids:');
    this.idle.checked = hidesIdle;
    this.chosen = chosen;
    const marks = { isChosen: (row: ThreadRow) => row.key === chosen.key || (isSeveral && isPartOf(row, chosen)) };
    const counted = this.views.threadsAt(state);
    const sortedBy = threadsSort || this.views.widthOf(state);
    const shown = [counted, hidesIdle, sortedBy];
    if (shown.every((part, at) => part === this.shown[at])) return this.table.mark(marks);
    this.shown = shown;
    this.table.show({ rows: threadChoices(counted, hidesIdle), columns: this.columns(), sortedBy }, marks);
  }

  /** A row alone; with what is chosen, or taken from it; or all between two rows. */
  private choiceOf(row: ThreadRow, how: ChoiceMode, through: readonly ThreadRow[]): string {
    const { chosen, rows } = this;
    if (how === 'alone') return row.key;
    const before = how === 'added' && chosen.key !== 'all' ? chosen.threads : [];
    const places = new Set(before);
    const added = how === 'added' ? [row] : through;
    const isTaken = how === 'added' && row.threads.every((place) => places.has(place));
    for (const place of added.filter(({ key }) => key !== 'all').flatMap(({ threads }) => threads)) {
      if (isTaken) places.delete(place);
      else places.add(place);
    }
    return choiceOf(rows, places);
  }

  private above(rows: readonly ThreadRow[], change: (change: Partial<State>) => void): HTMLElement {
    const count = rows.filter(({ isIdle }) => isIdle).length;
    this.idle.addEventListener('change', () => change({ hidesIdle: this.idle.checked }));
    const label = html('label', {}, this.idle, ` hide idle threads: ${formatCount(count)} only waited`);
    label.hidden = count === 0 || count === rows.length;
    const hint = html('span', {}, 'Ctrl with a click or Enter adds a thread, Shift all up to it');
    hint.hidden = rows.length < 2;
    return html('div', { class: 'above' }, label, hint);
  }

  private columns(): TableColumn<ThreadRow>[] {
    const isTimed = this.recorded.meta.weight === 'ns';
    return this.allColumns().filter(
      ({ key, isTime }) => (isTimed || !isTime) && (this.hasSwitches || key !== 'off-cpu'),
    );
  }

  private allColumns(): TableColumn<ThreadRow>[] {
    const duration = (
      key: string,
      title: string,
      hint: string,
      value: (row: ThreadRow) => number,
    ): TableColumn<ThreadRow> => {
      return { key, title, hint, widthPx: [70, 96], isTime: true, value, cell: (row) => formatDuration(value(row)) };
    };
    const cpu: [title: string, hint: string] = this.hasSwitches
      ? ['On CPU', 'while it had a processor']
      : ['Traced', tracedHint(this.recorded.meta)];
    return [
      {
        key: 'name',
        title: 'Thread',
        widthPx: [130, Number.POSITIVE_INFINITY],
        isText: true,
        value: ({ name }) => name,
        cell: ({ name, isIdle }) =>
          html('span', { title: name }, html('bdi', {}, name), ...(isIdle ? [html('em', {}, ' idle')] : [])),
      },
      {
        key: 'which',
        title: 'Number',
        widthPx: [80, 110],
        isText: true,
        value: ({ which }) => which.padStart(12),
        cell: ({ which }) => which,
      },
      duration('wall', 'Wall clock', 'its time in what is looked at', ({ totalNs }) => totalNs),
      duration('cpu', ...cpu, ({ onCpuNs }) => onCpuNs),
      {
        key: 'busy',
        title: '%',
        hint: `${this.hasSwitches ? 'on CPU' : 'traced'}, of its time`,
        widthPx: [56, 70],
        isTime: true,
        value: ({ onCpuNs, totalNs }) => onCpuNs / Math.max(1, totalNs),
        cell: ({ onCpuNs, totalNs }) => formatShare(onCpuNs, totalNs),
      },
      duration('outside', 'Outside', 'in system calls and other stops', ({ outsideNs }) => outsideNs),
      duration('off-cpu', 'Off CPU', 'while it had no processor', ({ offCpuNs }) => offCpuNs),
      duration('lost', 'Lost', 'nothing is known', ({ lostNs }) => lostNs),
      {
        key: 'calls',
        title: 'Calls',
        widthPx: [60, 100],
        value: ({ calls }) => calls,
        cell: ({ calls }) => formatCount(calls),
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
    return Math.min(...threads.map((place) => this.recorded.threads[place]?.startNs ?? 0));
  }

  /** The recording from its start to its end, and where the threads were lost in it. */
  private strip(row: ThreadRow): SVGSVGElement {
    const { meta, threads } = this.recorded;
    const lengthNs = Math.max(1, meta.endNs - meta.startNs);
    const at = (ns: number) => STRIP_PX * Math.min(1, Math.max(0, (ns - meta.startNs) / lengthNs));
    const own = row.threads.map((place) => threads[place]).filter((thread) => thread !== undefined);
    const [from, to] = [Math.min(...own.map(({ startNs }) => startNs)), Math.max(...own.map(({ endNs }) => endNs))];
    const gaps = own.flatMap(({ tid }) => this.gapsOf.get(tid) ?? []);
    const marks = gaps.map(({ atNs, lengthNs }) =>
      svg('rect', {
        class: 'gap',
        x: at(atNs),
        y: 0,
        width: Math.max(LEAST_GAP_PX, at(atNs + lengthNs) - at(atNs)),
        height: 12,
      }),
    );
    const lostNs = row.threads.reduce((sum, place) => sum + (this.rows[place]?.lostNs ?? 0), 0);
    const text = gaps.length === 0 ? 'no gaps' : `${formatMany(gaps.length, 'gap')}, ${formatDuration(lostNs)} lost`;
    return svg(
      'svg',
      { class: 'strip', width: STRIP_PX, height: 12, role: 'img', 'aria-label': text },
      svg('title', {}, text),
      svg('rect', { class: 'span', x: at(from), y: 3, width: Math.max(1, at(to) - at(from)), height: 6 }),
      ...marks,
    );
  }
}
