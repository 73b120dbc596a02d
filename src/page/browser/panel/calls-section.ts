/**
 * The single calls of a function: a plot by time and duration, and a table of the slowest, each of which opens the
 * timeline at the call.
 */
import type { Nanoseconds } from '../../../model/units.js';
import { formatCount, formatDuration, formatMany } from '../../../render/format.js';
import { callDuration, shadesOf, shadeText } from '../../../render/plot/calls-plot.js';
import { htmlElement as html, swatch } from '../../../render/viewer/dom.js';
import { button } from '../../../render/viewer/search-field.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { visibleText } from '../../../render/visible-text.js';
import type { CallsView, SlowCallView } from '../../view/calls/calls-of-function.js';
import type { ListedCall } from '../../view/calls/find-listed-calls.js';
import type { ChosenCall, State } from '../../view/state.js';
import { CallsCanvas, SHADES } from './calls-canvas.js';

export class CallsSection {
  readonly element = html('div', { class: 'calls', hidden: '' });
  private readonly canvas: CallsCanvas;
  private readonly rows = html('div', {});
  private readonly notes = html('div', {});
  private view: CallsView | null = null;

  constructor(
    tooltip: Tooltip,
    private readonly open: (call: ListedCall) => void,
  ) {
    this.canvas = new CallsCanvas(tooltip, open);
    const plot = html('div', {}, this.canvas.element);
    this.element.append(
      html('h3', {}, 'Calls over time'),
      plot,
      this.notes,
      html('h3', {}, 'Slowest calls'),
      this.rows,
    );
  }

  /** `names`: of functions. Rows of the same calls stay, and with them the focus. */
  show(view: CallsView | null, names: readonly string[], chosen: ChosenCall | null): void {
    this.element.hidden = view === null;
    if (view !== null && view !== this.view) this.fill(view, names);
    this.view = view;
    const buttons = this.rows.querySelectorAll('button');
    view?.slowest.forEach(({ call }, row) => {
      buttons[row]?.setAttribute('aria-pressed', String(isChosen(call, chosen)));
    });
    if (view !== null)
      this.canvas.show(
        view,
        view.calls.findIndex((call) => isChosen(call, chosen)),
      );
  }

  private fill(view: CallsView, names: readonly string[]): void {
    const titles = ['Duration', 'Thread', 'From', 'Longer than the average call'];
    const head = html('tr', {}, ...titles.map((title) => html('th', { scope: 'col' }, title)));
    const rows = view.slowest.map((slow) => this.row(slow, view, names));
    const notes = notesOf(view).map((note) => html('p', {}, note));
    const focused = this.focusedCall;
    this.rows.replaceChildren(html('table', {}, head, ...rows));
    this.notes.replaceChildren(...legendOf(view), ...notes);
    const again = focused === undefined ? -1 : view.slowest.findIndex(({ call }) => isSame(call, focused));
    if (again >= 0) this.rows.querySelectorAll('button')[again]?.focus();
  }

  /** The call whose row has the focus. */
  private get focusedCall(): ListedCall | undefined {
    const at = [...this.rows.querySelectorAll<Element>('button')].indexOf(document.activeElement ?? this.rows);
    return this.view?.slowest[at]?.call;
  }

  private row(
    { call, comm, start, longer }: SlowCallView,
    { plot, isAwaited }: CallsView,
    names: readonly string[],
  ): HTMLElement {
    const pick = button(callDuration(call), 'show this call in the stack chart of its thread', () => this.open(call));
    const from = plot.calls[0] === undefined ? '' : `+${formatDuration(call.entryNs)}`;
    const more =
      longer === null
        ? isAwaited
          ? '…'
          : '–'
        : longer.map(({ symbol, moreNs }) => `${names[symbol]} +${formatDuration(moreNs)}`).join(', ');
    return html(
      'tr',
      {},
      html('th', { scope: 'row' }, pick),
      html('td', {}, html('bdi', {}, comm === null ? String(call.tid) : `${visibleText(comm)} ${call.tid}`)),
      html('td', { title: start }, from),
      html('td', { title: more }, html('bdi', {}, more)),
    );
  }
}

function isSame(a: ListedCall, b: ListedCall): boolean {
  return a.tid === b.tid && a.startNs === b.startNs && a.endNs === b.endNs;
}

function isChosen({ tid, startNs, endNs }: ListedCall, chosen: ChosenCall | null): boolean {
  if (chosen === null || chosen.tid !== tid) return false;
  return chosen.startNs === Math.max(0, Math.floor(startNs)) && chosen.endNs === Math.max(0, Math.ceil(endNs));
}

/** What the table and the plot lack. */
function notesOf({ unlisted, minSpanNs, unmeasured, isAwaited, fault }: CallsView): string[] {
  const shorter = minSpanNs > 0 ? ` shorter than ${formatDuration(minSpanNs)}` : '';
  const what = isAwaited ? 'requested from ptflame serve' : 'not listed';
  const instead = isAwaited || fault !== null ? '' : ': see ptflame latency --timeline';
  return [
    ...(fault === null ? [] : [fault]),
    ...(unlisted > 0 ? [`${formatMany(unlisted, 'call')}${shorter} ${what}${instead}`] : []),
    ...(unmeasured > 0 ? [`${formatMany(unmeasured, 'inferred call')} of unknown duration ${what}`] : []),
  ];
}

/** The shades of a heat map. */
function legendOf({ plot, isHeatMap }: CallsView): HTMLElement[] {
  if (!isHeatMap) return [];
  const shades = shadesOf(plot.cells, SHADES);
  const largest = plot.cells.reduce((most, { calls }) => Math.max(most, calls), 0);
  const entries = shades.map((_, shade) => {
    return html('li', {}, swatch('piece', `s${8 - shades.length + shade}`), shadeText(shades, shade, largest));
  });
  return [
    html('p', {}, `${formatCount(plot.calls.length + plot.callsLeftOut)} calls; how many in a cell:`),
    html('ul', { class: 'legend' }, ...entries),
  ];
}

/** How much of its duration is shown before and after a call. */
const MARGIN = 0.2;

/**
 * The state of the page that shows a call in the stack chart of its thread.
 *
 * `durationNs`: of the timeline.
 */
export function callInChart(
  { tid, startNs, endNs }: Pick<ListedCall, 'tid' | 'startNs' | 'endNs'>,
  durationNs: Nanoseconds,
): Pick<State, 'call' | 'chart' | 'chartRange'> {
  const call = { startNs: Math.max(0, Math.floor(startNs)), endNs: Math.max(0, Math.ceil(endNs)) };
  const marginNs = Math.max(1, Math.ceil(MARGIN * (call.endNs - call.startNs)));
  const chartRange = {
    startNs: Math.max(0, call.startNs - marginNs),
    endNs: Math.min(Math.ceil(durationNs), call.endNs + marginNs),
  };
  return { call: { tid, ...call }, chart: tid, chartRange };
}
