/**
 * The dock below the graph: the tables, the function panel next to them, and the dividers.
 */
import { capitalized, formatCount, threadNoun } from '../../render/format.js';
import { isolated } from '../../render/frames/isolated.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { callInChart } from '../view/calls/call-in-chart.js';
import type { PageLayout, State, Tab } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { StackChart } from './chart/stack-chart.js';
import { Divider } from './controls/divider.js';
import type { Menu } from './controls/menu.js';
import { Tabs } from './controls/tabs.js';
import type { FrameActions } from './graph/frame-actions.js';
import { FunctionPanel } from './graph/function-panel.js';
import type { Tooltip } from './graph/tooltip.js';
import type { Navigation } from './platform/navigation.js';
import { CallsTable } from './tables/calls-table.js';
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
  private readonly functions: FunctionsTable;
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
    this.functions = new FunctionsTable(views, characterPx, {
      choose: (symbol) => actions.choose(symbol),
      changeLayout,
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
    const { views, functions, threads, calls } = this;
    const tabs = [
      { id: 'functions', title: 'Functions', content: functions.element },
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
