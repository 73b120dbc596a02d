/**
 * The panel of the selected function: its numbers, and tabs for callers and callees, single calls, waits, and source code.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import { PERCENTILES } from '../../../model/percentiles.js';
import { dsoOf } from '../../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../../model/units.js';
import {
  capitalized,
  formatCalls,
  formatCount,
  formatDuration,
  formatLongest,
  formatPercentile,
  formatShare,
  formatTotal,
} from '../../../render/format.js';
import { type Family, isStop } from '../../../render/frames/colours.js';
import { familyOfNode } from '../../../render/frames/frame-table.js';
import { htmlElement as html, setAttributes, showText, swatch } from '../../../render/viewer/dom.js';
import { button, iconButton } from '../../../render/viewer/search-field.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import type { SourceFunction } from '../../data/source.js';
import {
  AVERAGE_NOISE_HINT,
  averageText,
  inferredCalls,
  inferredText,
  starredCalls,
} from '../../view/captions/counts.js';
import { shortLine } from '../../view/captions/details.js';
import { MEASURES, type Measure } from '../../view/comparison.js';
import type { ComparedFunction, FunctionView, WaitsView } from '../../view/function-view.js';
import { type ChosenCall, type Colouring, type State, TABS, type Tab } from '../../view/state.js';
import { changeText, measureText, noiseText, percentText, toneOf } from '../../view/table-columns.js';
import type { Views } from '../../view/views.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Navigation } from '../platform/navigation.js';
import { Tabs } from '../view-bar.js';
import { CallersAndCallees } from './callers-and-callees.js';
import { CallsSection, callInChart } from './calls-section.js';
import { histogramPicture } from './histogram.js';
import { PathsGraph } from './paths-graph.js';
import { sourceSection } from './source-section.js';
import { waitsSection } from './waits-section.js';

const MAX_HISTOGRAM_PX = 360;

/** What the panel shows besides the function. */
export interface PanelView {
  readonly function: FunctionView;
  readonly state: State;
  readonly colouring: Colouring;
}

/** The selected function: a column of the page, on narrow screens a sheet above it. */
export class Panel {
  readonly element = html('aside', { class: 'panel', 'aria-label': 'Selected function', hidden: '' });
  private readonly name = html('h2', {});
  private readonly file = html('div', { class: 'quiet' });
  private readonly numbers = html('div', {});
  private readonly paths: CallersAndCallees;
  private readonly histogram = html('div', {});
  private readonly calls: CallsSection;
  private readonly noCalls = html('p', { class: 'quiet' });
  private readonly waits = html('div', {});
  private readonly noWaits = html('p', { class: 'quiet' });
  private readonly meanwhile: PathsGraph;
  private readonly unknown = html('p', { class: 'quiet' });
  private readonly tabs: Tabs<Tab>;
  private readonly pages: Readonly<Record<Tab, HTMLElement>>;
  private symbol: SymbolId = NONE;

  constructor(
    private readonly views: Views,
    characterPx: number,
    tooltip: Tooltip,
    private readonly navigation: Navigation,
    private readonly actions: FrameActions,
  ) {
    this.meanwhile = new PathsGraph('What they did meanwhile', 'the waits', characterPx, tooltip, actions);
    this.paths = new CallersAndCallees(actions);
    this.calls = new CallsSection(tooltip, (call) =>
      navigation.change(callInChart(call, views.timeline?.durationNs ?? 0)),
    );
    const page = (id: Tab, ...children: HTMLElement[]) =>
      html('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, tabindex: 0 }, ...children);
    this.pages = {
      callers: page('callers', this.paths.element),
      calls: page('calls', this.histogram, this.calls.element, this.noCalls),
      waits: page('waits', this.waits, this.meanwhile.element, this.noWaits),
      source: page('source'),
    };
    this.tabs = new Tabs(
      'Of the function',
      TABS.map((id) => ({ id, title: TAB_NAMES[id], content: `panel-${id}` })),
      (tab) => navigation.changeLayout({ tab }),
    );
    const body = html('div', { class: 'panel-body' }, ...Object.values(this.pages), this.unknown);
    this.element.append(this.head(), this.tabs.element, body);
  }

  /** null: closes it. */
  show(shown: PanelView | null): void {
    this.element.hidden = shown === null;
    if (shown === null) return;
    const { function: view, state, colouring } = shown;
    this.symbol = view.sums.symbol;
    this.name.replaceChildren(html('bdi', {}, view.name));
    const line = view.line === null ? '' : `${view.line.file}:${view.line.line}`;
    setAttributes(this.name, { title: [view.name, view.file, line].filter(Boolean).join('\n') });
    const where = [view.file, view.line === null ? '' : shortLine(view.line)].filter(Boolean).join(' · ');
    this.file.replaceChildren(html('bdi', {}, where));
    const { compared } = view;
    const isBlockedTime = this.views.isBlockedAt(state);
    this.numbers.replaceChildren(
      compared === null ? numberList(isBlockedTime ? blockedNumbers(view) : numbers(view)) : comparedNumbers(compared),
    );
    if (!isBlockedTime) this.numbers.append(...stateBar(view), ...inferredLine(view));
    this.tabs.show(state.tab);
    const isUnknown = isBlockedTime && state.tab !== 'callers';
    for (const [id, page] of Object.entries(this.pages)) page.hidden = isUnknown || id !== state.tab;
    showText(this.unknown, isUnknown ? this.whyUnknown() : '');
    if (isUnknown) return;
    if (state.tab === 'callers')
      this.paths.show(view, { colouring, isByCalls: state.width === 'calls', isBlockedTime });
    if (state.tab === 'calls') this.showCalls(view, state.call);
    if (state.tab === 'waits') this.showWaits(view.waits);
    if (state.tab === 'source') this.showSource();
  }

  private whyUnknown(): string {
    const known = this.views.widths.length > 1 ? ': All time (1) has them' : '';
    return `Of blocked time, single calls, waits and source code are not known${known}.`;
  }

  private showSource(): void {
    const { data, source } = this.views;
    const dso = dsoOf(data.symbols, this.symbol);
    const isOwn = ({ fn }: SourceFunction) => fn[0] === data.symbols.name[this.symbol] && fn[1] === dso;
    const own = source?.functions.find(isOwn);
    const why = source ? 'No line of it is known.' : 'This file has no source code: make it with --source DIR.';
    this.pages.source.replaceChildren(
      ...(own ? sourceSection(own, this.views, this.actions) : [html('p', { class: 'quiet' }, why)]),
    );
  }

  private showCalls(view: FunctionView, call: ChosenCall | null): void {
    const widthPx = Math.min(MAX_HISTOGRAM_PX, this.pages.calls.clientWidth || MAX_HISTOGRAM_PX);
    this.histogram.replaceChildren(
      ...(view.bars.length === 0
        ? []
        : [html('h3', {}, 'How long calls took'), histogramPicture(view.bars, view.sums, widthPx, 48)]),
    );
    this.calls.show(view.calls, this.views.names, call);
    showText(this.noCalls, view.calls === null && view.bars.length === 0 ? 'This file has no single calls of it.' : '');
  }

  private showWaits(view: WaitsView | null): void {
    this.waits.replaceChildren(...(view === null ? [] : [waitsSection(view)]));
    const meanwhile = view?.meanwhile ?? null;
    this.meanwhile.element.hidden = meanwhile === null;
    if (meanwhile !== null) this.meanwhile.show(meanwhile, meanwhileNote(view));
    showText(this.noWaits, view === null ? this.whyNoWaits() : '');
  }

  private whyNoWaits(): string {
    const { waits } = this.views.data;
    if (waits !== null)
      return 'No wait of this function is listed, or a time range is chosen: waits are known without one.';
    return 'For whom threads waited is not in this recording: record with --waits.';
  }

  private head(): HTMLElement {
    const { navigation, actions } = this;
    const more = iconButton('⋯', 'More actions', 'more actions (m)', () => {
      const { left, bottom } = more.getBoundingClientRect();
      actions.openMenu(this.symbol, left, bottom, () => more.focus());
    });
    const buttons = html(
      'div',
      { class: 'group' },
      button('Zoom', 'zoom to its largest frame (Enter)', () => actions.zoomToFunction(this.symbol)),
      button('Show only inside', 'show only this function and its callees (f)', () => actions.focusOn(this.symbol)),
      button('Hide', 'hide this function and its callees (h)', () => actions.hide(this.symbol)),
      more,
    );
    const close = iconButton('✕', 'Close', 'close (Esc)', () => navigation.change({ chosen: null }));
    const title = html('div', { class: 'panel-title' }, this.name, close);
    return html('div', { class: 'panel-head' }, title, this.file, buttons, this.numbers);
  }
}

const TAB_NAMES: Readonly<Record<Tab, string>> = {
  callers: 'Callers & callees',
  calls: 'Calls',
  waits: 'Waits',
  source: 'Source',
};

function meanwhileNote(view: WaitsView | null): string {
  const otherNs = view?.waits.otherNs ?? 0;
  return otherNs > 0 ? ` (without ${formatDuration(otherNs)} on small call paths)` : '';
}

type Numbers = readonly (readonly [label: string, value: string, title?: string])[];

const duration = (ns: number) => (Number.isNaN(ns) ? '–' : formatDuration(ns));

function blockedNumbers({ sums, allNs }: FunctionView): Numbers {
  return [
    ['Blocked', duration(sums.totalNs)],
    ['Share', formatShare(sums.totalNs, allNs)],
    ['Parts of waits', formatCalls(sums.calls, sums.inferred)],
    ['Average', averageText(sums)],
    ['Min', duration(sums.minNs)],
    ['Max', formatLongest(sums.maxNs, sums.longestCutNs)],
  ];
}

function numbers({ sums, allNs, averageNoiseNs }: FunctionView): Numbers {
  const { calls, inferred, unwound } = sums;
  const counted = inferred === 0 ? '' : `${inferredCalls(calls, inferred)}: start or end not seen`;
  return [
    ['Total', formatTotal(sums)],
    ['Share', formatShare(sums.totalNs, allNs)],
    ['Self', duration(sums.selfNs)],
    ['Calls', starredCalls(calls, inferred), counted],
    ['Average', averageText(sums), counted],
    ...(Number.isNaN(averageNoiseNs)
      ? []
      : [['Average ±', formatDuration(averageNoiseNs), AVERAGE_NOISE_HINT] as const]),
    ['Min', duration(sums.minNs)],
    ...PERCENTILES.map(({ title, key, part }) => [title, formatPercentile(sums[key], sums, part)] as const),
    ['Max', formatLongest(sums.maxNs, sums.longestCutNs)],
    ['Waiting', duration(sums.outsideNs)],
    ['Waiting self', duration(sums.outsideSelfNs)],
    ...(inferred > 0 ? [['Inferred', formatCount(inferred), counted] as const] : []),
    ...(unwound > 0 ? [['Unwound', formatCount(unwound), 'ended by an exception or longjmp'] as const] : []),
  ];
}

function numberList(rows: Numbers): HTMLElement {
  return html(
    'dl',
    { class: 'numbers' },
    ...rows.map(([label, value, title = '']) =>
      html('div', title === '' ? {} : { title }, html('dt', {}, label), html('dd', {}, value)),
    ),
  );
}

/** What the time of the function was: running, or one of the stops. */
function stateBar({ callees }: FunctionView): HTMLElement[] {
  const all = callees.total[ROOT] as number;
  if (!(all > 0)) return [];
  const ns = new Map<Family, number>();
  for (let node = 1; node < callees.tree.length; node++) {
    const family = familyOfNode(callees, node);
    const state = isStop(family) ? family : 'user';
    ns.set(state, (ns.get(state) ?? 0) + (callees.self[node] as number));
  }
  const states = STATES.filter(([family]) => (ns.get(family) ?? 0) > 0);
  const bar = html('div', { class: 'states', 'aria-hidden': 'true' });
  const legend = html('ul', { class: 'legend' });
  for (const [family, name, colour] of states) {
    const part = swatch('piece', colour);
    part.style.flexGrow = String(ns.get(family));
    bar.append(part);
    legend.append(html('li', {}, swatch('piece', colour), `${name} ${formatShare(ns.get(family) ?? 0, all)}`));
  }
  return [bar, legend];
}

/** How much of its time is inferred, with all that it calls, and why. */
function inferredLine({ callees }: FunctionView): HTMLElement[] {
  const text = inferredText(callees.tree, callees.total[ROOT] as number);
  return text === '' ? [] : [html('p', { class: 'quiet' }, text)];
}

const STATES = [
  ['user', 'Running', 'running'],
  ['syscall', 'In a system call', 'syscall'],
  ['off-cpu', 'Off CPU', 'off-cpu'],
  ['preempted', 'Preempted', 'preempted'],
  ['untraced', 'Untraced', 'untraced'],
  ['lost', 'Lost', 'lost'],
] as const satisfies readonly (readonly [Family, string, string])[];

const MEASURE_TITLES: Readonly<Record<Measure, string>> = {
  total: 'Total',
  self: 'Self',
  calls: 'Calls',
  avg: 'Average',
  p99: 'p99',
};

/** The numbers on both sides of a comparison, as a table. */
function comparedNumbers({ names, row }: ComparedFunction): HTMLElement {
  const titles = [names.after, names.before, 'change', '%'].map((title) =>
    html('th', { scope: 'col' }, capitalized(title)),
  );
  const rows = MEASURES.map((measure) => {
    const number = row.compared?.of[measure];
    const cells = [
      measureText(measure, number?.after ?? Number.NaN),
      measureText(measure, number?.before ?? Number.NaN),
      html('span', { class: toneOf(row, measure), title: noiseText(number) }, changeText(row, measure)),
      percentText(row, measure),
    ];
    return html(
      'tr',
      {},
      html('th', { scope: 'row' }, MEASURE_TITLES[measure]),
      ...cells.map((cell) => html('td', {}, cell)),
    );
  });
  return html('table', { class: 'compared' }, html('tr', {}, html('td', {}), ...titles), ...rows);
}
