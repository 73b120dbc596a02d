/**
 * What stands below the graph: the tables, beside them the chosen function, and the dividers between.
 */
import { formatCount } from '../../format.js';
import { isolated } from '../../frames/isolated.js';
import { htmlElement as html } from '../../viewer/dom.js';
import type { Arrangement, State, Tab } from '../view/state.js';
import type { Views } from '../view/views.js';
import { Divider } from './controls/divider.js';
import type { Menu } from './controls/menu.js';
import { Tabs } from './controls/tabs.js';
import type { FrameActions } from './graph/frame-actions.js';
import { FunctionPanel } from './graph/function-panel.js';
import type { Tooltip } from './graph/tooltip.js';
import type { Navigation } from './platform/navigation.js';
import { FunctionsTable } from './tables/functions-table.js';
import { ThreadsTable } from './tables/threads-table.js';

/** What it works with. */
export interface Surroundings {
  readonly views: Views;
  readonly navigation: Navigation;
  readonly actions: FrameActions;
  readonly tooltip: Tooltip;
  readonly menu: Menu;
  readonly characterPx: number;
}

export class Dock {
  readonly element: HTMLElement;
  /** Between the graph and the dock. */
  readonly divider: Divider;
  private readonly views: Views;
  private readonly graphPlace: HTMLElement;
  private readonly functions: FunctionsTable;
  private readonly threads: ThreadsTable;
  private readonly panel: FunctionPanel;
  private readonly tabs: Tabs<Tab>;
  private readonly besidePanel: Divider;

  /** `graphPlace`: where the graph is. `page`: where that and the dock are. */
  constructor(around: Surroundings, graphPlace: HTMLElement, page: HTMLElement) {
    const { views, navigation, actions, characterPx } = around;
    const arrange = (change: Partial<Arrangement>) => navigation.arrange(change);
    this.views = views;
    this.graphPlace = graphPlace;
    this.functions = new FunctionsTable(views, characterPx, { choose: (symbol) => actions.choose(symbol), arrange });
    this.threads = new ThreadsTable(views, { change: (change) => navigation.change(change), arrange });
    this.panel = newPanel(around);
    this.tabs = this.newTabs(arrange);
    this.divider = new Divider('Resize the graph', false, {
      measure: () => (100 * graphPlace.offsetHeight) / Math.max(1, page.clientHeight),
      move: (graphShare) => arrange({ graphShare }),
    });
    this.besidePanel = new Divider('Resize the function', true, {
      measure: () => (100 * this.panel.element.offsetWidth) / Math.max(1, this.element.clientWidth),
      move: (panelShare) => arrange({ panelShare }),
    });
    this.element = html('div', { class: 'dock' }, this.tabs.element, this.besidePanel.element, this.panel.element);
  }

  /** The table in sight, and the dividers where the reader moved them to. */
  arrange({ tab, graphShare, panelShare }: Arrangement): void {
    this.tabs.show(tab);
    for (const [element, share] of [
      [this.graphPlace, graphShare],
      [this.panel.element, panelShare],
    ] as const) {
      element.classList.toggle('sized', share !== null);
      element.style.setProperty('--share', `${share ?? 0}%`);
    }
  }

  draw(state: State): void {
    const { views, panel, besidePanel } = this;
    this.functions.show(state);
    this.threads.show(state);
    panel.show(state.chosen === null ? null : views.functionAt(state, state.chosen), views.colouringOf(state));
    besidePanel.element.hidden = panel.element.hidden;
    besidePanel.show();
    this.divider.show();
  }

  private newTabs(arrange: (change: Partial<Arrangement>) => void): Tabs<Tab> {
    const { views, functions, threads } = this;
    const tabs = [
      { id: 'functions', title: 'Functions', content: functions.element },
      { id: 'threads', title: `Threads (${formatCount(views.threads.length)})`, content: threads.element },
    ] as const;
    return new Tabs(tabs, (tab) => arrange({ tab }));
  }
}

function newPanel({ views, navigation, actions, tooltip, menu, characterPx }: Surroundings): FunctionPanel {
  return new FunctionPanel(characterPx, tooltip, {
    focus: () => actions.focusOn(navigation.state.chosen),
    hide: () => actions.hide(navigation.state.chosen),
    close: () => navigation.change({ chosen: null }),
    open: (symbol) => (symbol === navigation.state.chosen ? undefined : actions.choose(symbol)),
    menu: (symbol, xPx, yPx, back) =>
      menu.open(isolated(views.names[symbol] as string), actions.ofFunction(symbol), xPx, yPx, back),
  });
}
