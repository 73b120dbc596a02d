/**
 * What is shown below the bar of views: the flame graph above the functions, one table, or the timeline above its calls.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';
import type { PageLayout, ShownView, State } from '../view/state.js';
import type { ChartContext, StackChart } from './chart/stack-chart.js';
import { Divider } from './divider.js';
import type { MainGraph } from './graph/main-graph.js';
import { LocksArea } from './locks-area.js';
import { RequestsArea } from './requests-area.js';
import { CallTreeTable } from './tables/call-tree-table.js';
import { CallsTable } from './tables/calls-table.js';
import type { ColumnsMenu } from './tables/columns-menu.js';
import { FunctionsTable } from './tables/functions-table.js';
import { ThreadsTable } from './tables/threads-table.js';

export interface ViewContext extends Omit<ChartContext, 'tooltip' | 'served'> {
  readonly main: MainGraph;
  readonly chart: StackChart;
  readonly columns: ColumnsMenu;
}

/** The table of each view; the flame graph is above that of functions and of threads, the timeline above its calls. */
type Table = 'functions' | 'tree' | 'threads' | 'calls' | 'requests' | 'locks';
const TABLES: Readonly<Record<ShownView, Table>> = {
  graph: 'functions',
  tree: 'tree',
  functions: 'functions',
  threads: 'threads',
  timeline: 'calls',
  requests: 'requests',
  locks: 'locks',
};

export class ViewArea {
  readonly element: HTMLElement;
  private readonly main: MainGraph;
  private readonly tables: Readonly<
    Record<Table, FunctionsTable | CallTreeTable | ThreadsTable | CallsTable | RequestsArea | LocksArea>
  >;
  private readonly divider: Divider;

  constructor({ views, navigation, actions, menu, characterPx, main, chart, columns }: ViewContext) {
    this.main = main;
    this.tables = {
      functions: new FunctionsTable(views, columns, characterPx, navigation, actions),
      tree: new CallTreeTable(views, columns, characterPx, navigation, actions),
      threads: new ThreadsTable(views, menu, navigation, chart),
      calls: new CallsTable(views, chart),
      requests: new RequestsArea(views, navigation, actions, chart),
      locks: new LocksArea(views, actions),
    };
    this.divider = new Divider('Resize graph', false, {
      measure: () =>
        (100 * (main.container.offsetHeight || chart.element.offsetHeight)) / Math.max(1, this.element.clientHeight),
      move: (graphShare) => navigation.changeLayout({ graphShare }),
    });
    this.element = html(
      'div',
      { class: 'view', id: 'view', role: 'tabpanel' },
      chart.element,
      main.container,
      this.divider.element,
      ...Object.values(this.tables).map(({ element }) => element),
    );
  }

  /** Shows the parts of a view, and moves the divider. */
  place(view: ShownView, { graphShare }: PageLayout): void {
    const { element, main, divider, tables } = this;
    element.setAttribute('aria-labelledby', `tab-${view}`);
    main.container.hidden = view !== 'graph' && view !== 'threads';
    divider.element.hidden = main.container.hidden && view !== 'timeline';
    for (const [name, table] of Object.entries(tables)) table.element.hidden = name !== TABLES[view];
    main.container.classList.toggle('sized', graphShare !== null);
    main.container.style.setProperty('--share', `${graphShare ?? 0}%`);
  }

  /** Draws the table that is seen. */
  drawTable(view: ShownView, state: State): void {
    this.tables[TABLES[view]].show(state);
    this.divider.show();
  }
}
