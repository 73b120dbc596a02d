/**
 * The panel of the selected function: numbers, durations of calls, callers and callees.
 */

import { PERCENTILES } from '../../../model/percentiles.js';
import type { WaitPiece } from '../../../model/profile/waits-by-path.js';
import type { Nanoseconds } from '../../../model/units.js';
import {
  formatCalls,
  formatCount,
  formatDuration,
  formatLongest,
  formatMany,
  formatPercentile,
  formatShare,
  formatTotal,
} from '../../../render/format.js';
import { callDuration, shadesOf, shadeText } from '../../../render/plot/calls-plot.js';
import { htmlElement as html, setAttributes } from '../../../render/viewer/dom.js';
import { button, iconButton } from '../../../render/viewer/search-field.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { visibleText } from '../../../render/visible-text.js';
import type { CallsView, SlowCallView } from '../../view/calls/calls-of-function.js';
import type { ListedCall } from '../../view/calls/find-listed-calls.js';
import { shortLine } from '../../view/captions/details.js';
import { blockerText, pieceClass, pieceText, reasonText, threadText, waitsText } from '../../view/captions/wakings.js';
import type { FunctionView, WaitsView } from '../../view/function-view.js';
import type { ChosenCall, Colouring } from '../../view/state.js';
import { summedPieces, type WaitNames, type WaitsOfFunction } from '../../view/waits.js';
import { CallsCanvas, SHADES } from '../calls-canvas.js';
import { CallersOrCallees, type CallersOrCalleesEvents } from './callers-or-callees.js';
import { histogramPicture } from './histogram.js';

const MAX_HISTOGRAM_PX = 320;

export interface FunctionEvents extends CallersOrCalleesEvents {
  readonly focus: () => void;
  readonly hide: () => void;
  readonly close: () => void;
  readonly openCall: (call: ListedCall) => void;
}

export class FunctionPanel {
  readonly element = html('section', { class: 'function', 'aria-label': 'Selected function', hidden: '' });
  private readonly name = html('h2', {});
  private readonly numbers = html('div', {});
  private readonly waits = html('div', {});
  private readonly calls: CallsSection;
  private readonly meanwhile: CallersOrCallees;
  private readonly callers: CallersOrCallees;
  private readonly callees: CallersOrCallees;
  private readonly events: FunctionEvents;
  private readonly isBlockedTime: boolean;

  constructor(isBlockedTime: boolean, characterPx: number, tooltip: Tooltip, events: FunctionEvents) {
    this.events = events;
    this.isBlockedTime = isBlockedTime;
    const graph = (label: string, isIcicle: boolean, root?: string) =>
      new CallersOrCallees({ label, isIcicle, ...(root && { root }) }, characterPx, tooltip, events);
    this.meanwhile = graph('What they did meanwhile', true, 'the waits');
    // above whom a thread waited for, callers are above callees
    this.callers = graph(isBlockedTime ? 'Below it' : 'Callers', false);
    this.callees = graph(isBlockedTime ? 'Above it' : 'Callees', true);
    const graphs = [this.meanwhile, this.callers, this.callees].map(({ element }) => element);
    this.calls = new CallsSection(tooltip, events.openCall);
    this.element.append(this.title(), this.numbers, this.calls.element, this.waits, ...graphs);
  }

  /** `names`: of functions. */
  show(view: FunctionView | null, colouring: Colouring, names: readonly string[], call: ChosenCall | null): void {
    this.element.hidden = view === null;
    if (view === null) return;
    this.name.replaceChildren(html('bdi', {}, view.name));
    const title = [view.name, view.file, view.line && `${view.line.file}:${view.line.line}`].filter(Boolean).join('\n');
    setAttributes(this.name, { title });
    this.numbers.replaceChildren(
      numberList(this.isBlockedTime ? blockedNumbers(view) : numbers(view)),
      ...(view.bars.length === 0 ? [] : [histogramPicture(view.bars, view.sums, this.histogramPx(), 40)]),
    );
    this.calls.show(view.calls, names, call);
    this.showWaits(view.waits);
    this.callers.show(view.callers, colouring);
    this.callees.show(view.callees, colouring);
  }

  /** Below the numbers: as wide as the panel permits. */
  private histogramPx(): number {
    return Math.min(MAX_HISTOGRAM_PX, this.numbers.clientWidth || MAX_HISTOGRAM_PX);
  }

  private showWaits(view: WaitsView | null): void {
    this.waits.replaceChildren(...(view === null ? [] : [waitsSection(view)]));
    const meanwhile = view?.meanwhile ?? null;
    this.meanwhile.element.hidden = meanwhile === null;
    if (meanwhile !== null) this.meanwhile.show(meanwhile, 'function', meanwhileNote(view));
  }

  private title(): HTMLElement {
    const { focus, hide, close } = this.events;
    return html(
      'div',
      { class: 'function-title' },
      this.name,
      button('Focus', 'show only this function and its callees (f)', focus),
      button('Hide', 'hide this function and its callees (h)', hide),
      iconButton('✕', 'Close', 'close (Esc)', close),
    );
  }
}

function meanwhileNote(view: WaitsView | null): string {
  const otherNs = view?.waits.otherNs ?? 0;
  return otherNs > 0 ? ` (without ${formatDuration(otherNs)} on small call paths)` : '';
}

type Numbers = readonly (readonly [label: string, value: string])[];

const duration = (ns: number) => (Number.isNaN(ns) ? '–' : formatDuration(ns));

function blockedNumbers({ sums, allNs, line }: FunctionView): Numbers {
  return [
    ['blocked', `${duration(sums.totalNs)} · ${formatShare(sums.totalNs, allNs)}`],
    ['parts of waits', formatCalls(sums.calls, sums.inferred)],
    ['average', duration(sums.avgNs)],
    ['min', duration(sums.minNs)],
    ['max', formatLongest(sums.maxNs, sums.longestCutNs)],
    ...lineNumbers(line),
  ];
}

function lineNumbers(line: FunctionView['line']): Numbers {
  return line === null ? [] : [['line', shortLine(line)]];
}

function numbers({ sums, allNs, line }: FunctionView): Numbers {
  return [
    ['total', `${formatTotal(sums)} · ${formatShare(sums.totalNs, allNs)}`],
    ['self', duration(sums.selfNs)],
    ['outside', `${duration(sums.outsideNs)} · self ${duration(sums.outsideSelfNs)}`],
    ['calls', `${formatCalls(sums.calls, sums.inferred)}${sums.inferred > 0 ? ' complete' : ''}`],
    ['inferred', formatCount(sums.inferred)],
    ...(sums.unwound > 0 ? [['unwound', formatCount(sums.unwound)] as const] : []),
    ['average', duration(sums.avgNs)],
    ['min', duration(sums.minNs)],
    ...PERCENTILES.map(({ title, key }) => [title, formatPercentile(sums[key], sums)] as const),
    ['max', formatLongest(sums.maxNs, sums.longestCutNs)],
    ...lineNumbers(line),
  ];
}

function numberList(rows: Numbers): HTMLElement {
  return html('dl', {}, ...rows.map(([label, value]) => html('div', {}, html('dt', {}, label), html('dd', {}, value))));
}

const MAX_LISTED_PIECES = 6;

/** The waits in the function panel: for whom and why, the longest wait as a bar, and what was done meanwhile. */
function waitsSection({ waits, names, unlisted, originNs }: WaitsView): HTMLElement {
  return html(
    'div',
    { class: 'waits' },
    html('h3', {}, waitsText(waits)),
    blockersTable(waits, names),
    ...(unlisted.waits > 0
      ? [
          html(
            'p',
            {},
            `${formatMany(unlisted.waits, 'wait')} (${formatDuration(unlisted.ns)}) on other call paths are not listed`,
          ),
        ]
      : []),
    ...chain(waits, names, originNs),
  );
}

function blockersTable({ blockers, ns }: WaitsOfFunction, names: WaitNames): HTMLElement {
  const head = ['For whom', 'Why', 'Waits', 'Time', 'Waking up'].map((title) => html('th', { scope: 'col' }, title));
  const rows = blockers.map((blocker) => {
    const who = blockerText(names, blocker);
    const share = html('span', { class: 'share' }, formatDuration(blocker.ns));
    share.style.setProperty('--share', formatShare(blocker.ns, ns).replace(' ', ''));
    return html(
      'tr',
      {},
      html('th', { scope: 'row', title: who }, html('bdi', {}, who)),
      html('td', {}, reasonText(blocker)),
      html('td', {}, formatCount(blocker.waits)),
      html('td', {}, share),
      html('td', {}, formatDuration(blocker.wakeUpNs)),
    );
  });
  return html('table', {}, html('tr', {}, ...head), ...rows);
}

/** The critical path of the longest wait. */
function chain({ longest }: WaitsOfFunction, names: WaitNames, originNs: Nanoseconds): HTMLElement[] {
  const { ns, startNs, tid, pieces } = longest;
  const text = (piece: WaitPiece) => `${pieceText(names, piece)} · ${formatDuration(piece.ns)}`;
  const bar = html('div', { class: 'chain', role: 'img', 'aria-label': pieces.map(text).join(', ') });
  for (const piece of pieces) {
    const part = swatch(names, piece);
    setAttributes(part, { title: text(piece) });
    part.style.flexGrow = String(piece.ns);
    bar.append(part);
  }
  const sums = summedPieces(pieces);
  const listed = sums.slice(0, MAX_LISTED_PIECES).map((piece) => html('li', {}, swatch(names, piece), text(piece)));
  const rest = sums.slice(MAX_LISTED_PIECES).reduce((sum, piece) => sum + piece.ns, 0);
  if (rest > 0) listed.push(html('li', {}, `others · ${formatDuration(rest)}`));
  const title = `Longest: ${formatDuration(ns)} of ${threadText(names.threads, tid)}, ${formatDuration(startNs - originNs)} after the start`;
  return [html('h3', {}, title), bar, html('ul', { class: 'legend' }, ...listed)];
}

function swatch({ functions }: WaitNames, piece: WaitPiece): HTMLElement {
  const element = html('span', { class: 'piece' });
  element.style.background = `var(--${pieceClass(functions, piece)})`;
  return element;
}

/**
 * The single calls in the function panel: a plot by time and duration, and a table of the slowest, each of which opens the
 * stack chart at the call.
 */
class CallsSection {
  readonly element = html('div', { class: 'calls', hidden: '' });
  private readonly canvas: CallsCanvas;
  private readonly rows = html('div', {});
  private readonly notes = html('div', {});
  private readonly open: (call: ListedCall) => void;
  private view: CallsView | null = null;

  constructor(tooltip: Tooltip, open: (call: ListedCall) => void) {
    this.open = open;
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
    const pick = html('button', { title: 'show this call in the stack chart of its thread' }, callDuration(call));
    pick.addEventListener('click', () => this.open(call));
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
    const swatch = html('span', { class: 'piece' });
    swatch.style.background = `var(--s${8 - shades.length + shade})`;
    return html('li', {}, swatch, shadeText(shades, shade, largest));
  });
  return [
    html('p', {}, `${formatCount(plot.calls.length + plot.callsLeftOut)} calls; how many in a cell:`),
    html('ul', { class: 'legend' }, ...entries),
  ];
}
