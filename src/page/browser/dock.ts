/**
 * The dock below the graph: the tables, the function panel next to them, and the dividers.
 */

import type { Nanoseconds, SymbolId } from '../../model/units.js';
import { capitalized, formatCount, threadNoun } from '../../render/format.js';
import { htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { isShortcut } from '../../render/viewer/search-field.js';
import type { Tooltip } from '../../render/viewer/tooltip.js';
import { isolated } from '../../render/visible-text.js';
import type { ListedCall } from '../view/calls/find-listed-calls.js';
import { MAX_SHARE, MIN_SHARE, type PageLayout, type State, type Tab } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { StackChart } from './chart/stack-chart.js';
import type { FrameActions } from './graph/frame-actions.js';
import { FunctionPanel } from './graph/function-panel.js';
import type { Menu } from './menu.js';
import type { Navigation } from './platform/navigation.js';
import { CallTreeTable } from './tables/call-tree-table.js';
import { CallsTable } from './tables/calls-table.js';
import { ColumnsMenu } from './tables/columns-menu.js';
import { FunctionsTable } from './tables/functions-table.js';
import { ThreadsTable } from './tables/threads-table.js';

export interface DockContext {
  readonly views: Views;
  readonly navigation: Navigation;
  readonly actions: FrameActions;
  readonly tooltip: Tooltip;
  readonly menu: Menu;
  readonly characterPx: number;
  readonly chart: StackChart;
}

export class Dock {
  readonly element: HTMLElement;
  /** Between the graph and the dock. */
  readonly divider: Divider;
  private readonly views: Views;
  private readonly graphContainer: HTMLElement;
  private readonly columns: ColumnsMenu;
  private readonly functions: FunctionsTable;
  private readonly tree: CallTreeTable;
  private readonly threads: ThreadsTable;
  private readonly calls: CallsTable;
  private readonly chart: StackChart;
  private readonly panel: FunctionPanel;
  private readonly tabs: Tabs<Tab>;
  private readonly panelDivider: Divider;

  /** `graphContainer`: element of the graph. `page`: parent of the graph and the dock. */
  constructor(context: DockContext, graphContainer: HTMLElement, page: HTMLElement) {
    const { views, navigation, actions, characterPx, menu, chart } = context;
    const changeLayout = (change: Partial<PageLayout>) => navigation.changeLayout(change);
    this.views = views;
    this.graphContainer = graphContainer;
    this.columns = new ColumnsMenu((columns) => changeLayout({ columns }));
    const choose = (symbol: SymbolId) => actions.choose(symbol);
    this.functions = new FunctionsTable(views, this.columns, characterPx, { choose, changeLayout });
    this.tree = new CallTreeTable(views, this.columns, characterPx, {
      choose,
      changeLayout,
      zoom: (zoom) => navigation.change({ zoom, zoomLast: null }),
      menu: (symbol, xPx, yPx, back) =>
        menu.open(isolated(views.names[symbol] as string), actions.ofFunction(symbol), xPx, yPx, back),
    });
    this.threads = new ThreadsTable(views, menu, {
      change: (change) => navigation.change(change),
      changeLayout,
      openChart: (tid) => chart.open(tid),
    });
    this.calls = new CallsTable(views, chart);
    this.chart = chart;
    this.panel = newPanel(context);
    this.tabs = this.newTabs(changeLayout);
    this.tabs.element.append(this.columns.element);
    this.divider = new Divider('Resize graph', false, {
      measure: () =>
        (100 * (graphContainer.offsetHeight || chart.element.offsetHeight)) / Math.max(1, page.clientHeight),
      move: (graphShare) => changeLayout({ graphShare }),
    });
    this.panelDivider = new Divider('Resize function panel', true, {
      measure: () => (100 * this.panel.element.offsetWidth) / Math.max(1, this.element.clientWidth),
      move: (panelShare) => changeLayout({ panelShare }),
    });
    this.element = html('div', { class: 'dock' }, this.tabs.element, this.panelDivider.element, this.panel.element);
  }

  /** Selects the table and moves the dividers. */
  applyLayout({ tab, graphShare, panelShare }: PageLayout): void {
    this.tabs.setHidden('calls', !this.chart.isOpen);
    this.tabs.show(this.shownTab(tab));
    this.columns.element.hidden = !['functions', 'tree'].includes(this.shownTab(tab));
    for (const [element, share] of [
      [this.graphContainer, graphShare],
      [this.panel.element, panelShare],
    ] as const) {
      element.classList.toggle('sized', share !== null);
      element.style.setProperty('--share', `${share ?? 0}%`);
    }
  }

  /** Draws the table that is seen, and the panel. */
  draw(state: State): void {
    this[this.shownTab(state.tab)].show(state);
    this.drawPanel(state);
    this.divider.show();
  }

  /** Draws the chosen function. */
  drawPanel(state: State): void {
    const { views, panel, panelDivider } = this;
    if (state.chosen === null) views.server?.stop();
    const chosen = state.chosen === null ? null : views.functionAt(state, state.chosen);
    panel.show(chosen, views.colouringOf(state), views.names, state.call);
    panelDivider.element.hidden = panel.element.hidden;
    panelDivider.show();
  }

  /** Draws the table of the stack chart, if that is seen. */
  drawCalls(tab: Tab): void {
    if (this.shownTab(tab) === 'calls') this.calls.show();
  }

  private shownTab(tab: Tab): Tab {
    return tab === 'calls' && !this.chart.isOpen ? 'functions' : tab;
  }

  private newTabs(changeLayout: (change: Partial<PageLayout>) => void): Tabs<Tab> {
    const { views, functions, tree, threads, calls } = this;
    const tabs = [
      { id: 'functions', title: 'Functions', content: functions.element },
      { id: 'tree', title: 'Call tree', content: tree.element },
      {
        id: 'threads',
        title: `${capitalized(threadNoun(views.data.meta))}s (${formatCount(views.threads.length)})`,
        content: threads.element,
      },
      { id: 'calls', title: 'Calls', content: calls.element },
    ] as const;
    return new Tabs(tabs, (tab) => changeLayout({ tab }));
  }
}

function newPanel({ views, navigation, actions, tooltip, menu, characterPx }: DockContext): FunctionPanel {
  return new FunctionPanel(views.isBlockedTime, characterPx, tooltip, {
    focus: () => actions.focusOn(navigation.state.chosen),
    hide: () => actions.hide(navigation.state.chosen),
    close: () => navigation.change({ chosen: null }),
    openCall: (call) => navigation.change(callInChart(call, views.timeline?.durationNs ?? 0)),
    open: (symbol) => (symbol === navigation.state.chosen ? undefined : actions.choose(symbol)),
    menu: (symbol, xPx, yPx, back) =>
      menu.open(isolated(views.names[symbol] as string), actions.ofFunction(symbol), xPx, yPx, back),
  });
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

/** Tabs that switch between tables. */
interface TabOf<Id extends string> {
  readonly id: Id;
  readonly title: string;
  readonly content: HTMLElement;
}

class Tabs<Id extends string> {
  readonly element: HTMLElement;
  private readonly ids: readonly Id[];
  private readonly choose: (id: Id) => void;
  private readonly tabs: readonly HTMLButtonElement[];
  private readonly panels: readonly HTMLElement[];

  /** `select`: called on user input; the tab changes only by `show`. */
  constructor(tabs: readonly TabOf<Id>[], select: (id: Id) => void) {
    this.ids = tabs.map(({ id }) => id);
    this.choose = select;
    this.tabs = tabs.map(({ id, title }) =>
      html('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}` }, title),
    );
    this.panels = tabs.map(({ id, content }) =>
      html('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}` }, content),
    );
    const list = html('div', { role: 'tablist', class: 'tablist', 'aria-label': 'Tables' }, ...this.tabs);
    this.element = html('div', { class: 'tabs' }, list, ...this.panels);
    this.tabs.forEach((tab, at) => {
      tab.addEventListener('click', () => select(this.ids[at] as Id));
    });
    list.addEventListener('keydown', (event) => this.press(event));
  }

  show(id: Id): void {
    const chosen = this.ids.indexOf(id);
    this.tabs.forEach((tab, at) => {
      setAttributes(tab, { 'aria-selected': String(at === chosen), tabindex: at === chosen ? 0 : -1 });
      (this.panels[at] as HTMLElement).classList.toggle('closed', at !== chosen);
    });
  }

  setHidden(id: Id, isHidden: boolean): void {
    (this.tabs[this.ids.indexOf(id)] as HTMLElement).hidden = isHidden;
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const shown = this.tabs.filter((tab) => !tab.hidden);
    const at = shown.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    const next = shown[(at + step + shown.length) % shown.length] as HTMLButtonElement;
    this.choose(this.ids[this.tabs.indexOf(next)] as Id);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A line between two parts of the page that can be moved by pointer or keys. */
interface DividerEvents {
  /** Returns the current share of the resized part, in percent. */
  readonly measure: () => number;
  /** Resizes the part; null: default size. */
  readonly move: (share: number | null) => void;
}

const STEP = 2;
const FAR_STEP = 10;

class Divider {
  readonly element: HTMLElement;
  private readonly isUpright: boolean;
  private readonly events: DividerEvents;

  /** `isUpright`: a vertical line that resizes the part right of it; otherwise a horizontal one that resizes the part above. */
  constructor(label: string, isUpright: boolean, events: DividerEvents) {
    this.isUpright = isUpright;
    this.events = events;
    this.element = html('div', {
      class: isUpright ? 'divider upright' : 'divider',
      role: 'separator',
      tabindex: 0,
      title: 'drag or use arrow keys; Enter resets',
      'aria-label': label,
      'aria-orientation': isUpright ? 'vertical' : 'horizontal',
      'aria-valuemin': MIN_SHARE,
      'aria-valuemax': MAX_SHARE,
    });
    this.element.addEventListener('pointerdown', (event) => this.drag(event));
    this.element.addEventListener('dblclick', () => events.move(null));
    this.element.addEventListener('keydown', (event) => this.press(event));
  }

  /** Updates the position for screen readers. */
  show(): void {
    setAttributes(this.element, { 'aria-valuenow': bounded(this.events.measure()) });
  }

  private drag(down: PointerEvent): void {
    const { element, isUpright, events } = this;
    const parent = element.parentElement as HTMLElement;
    const widthPx = isUpright ? parent.clientWidth : parent.clientHeight;
    const before = events.measure();
    const to = ({ clientX, clientY }: PointerEvent) => {
      const movedPx = isUpright ? down.clientX - clientX : clientY - down.clientY;
      if (movedPx !== 0) events.move(bounded(before + (100 * movedPx) / widthPx));
    };
    element.setPointerCapture(down.pointerId);
    element.addEventListener('pointermove', to);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', to), {
      once: true,
    });
  }

  private press(event: KeyboardEvent): void {
    const now = bounded(this.events.measure());
    const [less, more] = this.isUpright ? ['ArrowRight', 'ArrowLeft'] : ['ArrowUp', 'ArrowDown'];
    const steps: Readonly<Record<string, number | null>> = {
      [less as string]: now - STEP,
      [more as string]: now + STEP,
      PageUp: now - FAR_STEP,
      PageDown: now + FAR_STEP,
      Home: MIN_SHARE,
      End: MAX_SHARE,
      Enter: null,
    };
    const step = steps[event.key];
    if (step === undefined || isShortcut(event)) return;
    this.events.move(step === null ? null : bounded(step));
    event.preventDefault();
    event.stopPropagation();
  }
}

function bounded(share: number): number {
  return Math.round(Math.min(MAX_SHARE, Math.max(MIN_SHARE, share)));
}
