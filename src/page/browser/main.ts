/**
 * Starts the page.
 */

import type { RemedyPlace } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/profile/timeline.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import type { FlameGraph } from '../../render/viewer/flame-graph.js';
import { iconButton, isShortcut } from '../../render/viewer/search-field.js';
import { Tooltip } from '../../render/viewer/tooltip.js';
import type { PageData } from '../data/page-data.js';
import type { PageRequests } from '../data/requests.js';
import type { PageSource } from '../data/source.js';
import { chipsOf, droppedText, misfitsOf, restToggle } from '../view/captions/misfits.js';
import { type FindingAction, findingsAt, findingsKey } from '../view/findings.js';
import { existingPrefix } from '../view/frame-tables.js';
import { hasLocks } from '../view/locks.js';
import { isSameView, NO_ZOOM, parseHash, type ShownView, START, type State, TABS } from '../view/state.js';
import { chosenRow, type ThreadRow } from '../view/threads.js';
import { Views } from '../view/views.js';
import { Axis } from './axis.js';
import { StackChart } from './chart/stack-chart.js';
import { Divider } from './divider.js';
import { FindingLine } from './finding-line.js';
import { Crumbs } from './graph/crumbs.js';
import { FrameActions } from './graph/frame-actions.js';
import { MainGraph } from './graph/main-graph.js';
import { Header } from './header.js';
import { actionOf, belongsToControl, helpDialog, needsFrame } from './keys.js';
import { Menu } from './menu.js';
import { Panel } from './panel/panel.js';
import { measureCharacterPx, measureScrollbar, showTheme } from './platform/canvas.js';
import { lifetime, onResize } from './platform/lifetime.js';
import { Navigation } from './platform/navigation.js';
import { type CallServer, ownServer, ServedCalls } from './served-calls.js';
import { ServedFunctionCalls } from './served-function-calls.js';
import { ColumnsMenu } from './tables/columns-menu.js';
import { ViewArea } from './view-area.js';
import { Chips, ViewBar } from './view-bar.js';

/**
 * Keeps the keyboard focus while the page is redrawn.
 *
 * Redraws. If the focused element disappears, the chart gets the focus; a focused box keeps it.
 */
function keepFocus(chart: FlameGraph, draw: () => void): void {
  const wasInChart = chart.hasFocus;
  const wasSomewhere = somethingHasFocus();
  draw();
  if (wasInChart || (wasSomewhere && !somethingHasFocus())) chart.focus(chart.focusedBox);
}

/** Whether a visible, enabled element has the focus: hidden or disabled ones lose it, but not at once. */
function somethingHasFocus(): boolean {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) return false;
  return activeElement.checkVisibility() && !activeElement.matches(':disabled');
}

/** A line about the view that stays until it is closed or no longer true. */
class Notice {
  readonly element = html('div', { class: 'notice', role: 'status' });

  /** Empty: hides it. */
  show(text: string): void {
    const close = iconButton('✕', 'Close', 'close', () => this.show(''));
    this.element.replaceChildren(...(text === '' ? [] : [html('span', { title: text }, text), close]));
  }
}

/** Runs the page: user actions change the state, and the page is drawn from the state. */
class App {
  private readonly column = html('div', { class: 'column' });
  private readonly characterPx = measureCharacterPx();
  private readonly navigation: Navigation;
  private readonly tooltip = new Tooltip();
  private readonly menu = new Menu();
  private readonly help = helpDialog();
  private readonly main: MainGraph;
  private readonly actions: FrameActions;
  private readonly header: Header;
  private readonly bar: ViewBar;
  private readonly chips: Chips;
  private readonly crumbs: Crumbs;
  private readonly area: ViewArea;
  private readonly panel: Panel;
  private readonly panelDivider: Divider;
  private readonly axis: Axis;
  private readonly chart: StackChart;
  private readonly finding = new FindingLine(
    (action) => this.follow(action),
    (finding) => this.navigation.changeLayout({ finding }),
  );
  private readonly misfits = new Notice();
  /** Why blocked time could not be read, until that is said. */
  private problem = '';
  /** The strips are drawn with the tables, after the graph was painted. */
  private isAxisLate = false;
  /** The panel has not been opened or closed yet for what is chosen. */
  private isUnplaced = false;
  private pendingFrame = 0;
  private pendingCalls = 0;

  /** `hasTimeline`: it is in the file, and is read later. `readBlocked`: reads blocked time; null: it is not in the file. */
  constructor(
    private readonly views: Views,
    container: HTMLElement,
    start: State,
    server: CallServer | null,
    hasTimeline: boolean,
    private readonly readBlocked: ReportData['blocked'],
  ) {
    this.navigation = new Navigation(views.linkNames, start, (...states) => this.show(...states));
    const change = (to: Partial<State>) => this.navigation.change(to);
    const { navigation, tooltip, menu, characterPx } = this;
    const main = new MainGraph(views, navigation, tooltip, characterPx, () => this.actions);
    this.main = main;
    const actions = new FrameActions(main, navigation, views, menu);
    this.actions = actions;
    this.header = new Header(views, menu, navigation, main, () => this.help.showModal());
    const served = server && new ServedCalls(server, () => this.showArrivedSoon());
    const chart = new StackChart({ views, navigation, actions, tooltip, menu, characterPx, served });
    this.chart = chart;
    this.axis = new Axis(views, tooltip, navigation, chart, () => this.open('threads'));
    this.chips = new Chips(change);
    this.crumbs = new Crumbs(change);
    const shown: ShownView[] = [
      'graph',
      'tree',
      'functions',
      ...(views.data.compared === undefined ? (['threads'] as const) : []),
      ...(hasTimeline && views.data.compared === undefined ? (['timeline'] as const) : []),
      ...(views.requests === null ? [] : (['requests'] as const)),
      ...(hasLocks(views.data) ? (['locks'] as const) : []),
    ];
    const columns = new ColumnsMenu(menu, (to) => navigation.changeLayout({ columns: to }));
    const beside = { columns: columns.element, legend: main.legend.element };
    this.bar = new ViewBar(views, menu, shown, beside, navigation, (view) => this.open(view));
    this.area = new ViewArea({ views, navigation, actions, menu, characterPx, main, chart, columns });
    this.panel = new Panel(views, characterPx, tooltip, navigation, actions);
    this.panelDivider = new Divider('Resize function panel', true, {
      measure: () => (100 * this.panel.element.offsetWidth) / Math.max(1, container.clientWidth),
      move: (panelShare) => navigation.changeLayout({ panelShare }),
    });
    this.finding.element.hidden = !views.hasTimes;
    container.before(this.finding.element);
    const { column } = this;
    column.ariaBusy = 'true'; // until it is drawn, which may wait for the timeline
    column.append(
      this.misfits.element,
      this.axis.element, // above the chips, so that it stays where it is
      this.chips.element,
      this.bar.element,
      this.crumbs.element,
      this.area.element,
    );
    container.replaceChildren(column, this.panelDivider.element, this.panel.element, menu.element);
    document.querySelector('header')?.append(...this.header.elements);
    this.listen();
  }

  draw(): void {
    this.fitLink();
    this.place(this.navigation.state);
    this.drawGraph(true);
    this.main.graph.scrollToView();
    this.drawTablesSoon();
  }

  /** The state shows blocked time, which has not been read yet. */
  get needsBlocked(): boolean {
    return this.navigation.state.width === 'blocked' && this.views.blocked === null && this.readBlocked != null;
  }

  /** Reads it. If that fails, all time is shown, and a line says why. */
  async addBlocked(): Promise<void> {
    this.column.ariaBusy = 'true';
    try {
      this.views.blocked = (await this.readBlocked?.()) ?? null;
    } catch (error) {
      this.problem = `Who blocks whom cannot be shown: ${(error as Error).message}.`;
      this.navigation.correct({ width: START.width });
    }
  }

  /** The initial state is about a time. */
  get needsTimeline(): boolean {
    const { range, chart, call } = this.navigation.state;
    return range !== null || chart !== null || call !== null;
  }

  /** Draws what needs the timeline, or everything if nothing has been drawn. */
  addTimeline(timeline: Timeline): void {
    this.views.strips = timeline;
    if (this.views.data.compared === undefined) this.views.timeline = timeline;
    if (this.needsTimeline) this.draw();
    else {
      this.axis.show(this.navigation.state);
      this.drawTables();
    }
  }

  /** Leaves out what the page does not have of a link, and says so. */
  private fitLink(): void {
    const { navigation, views } = this;
    const { change, dropped } = misfitsOf(views, navigation.state);
    navigation.correct(change);
    this.misfits.show(this.problem || droppedText([...navigation.dropped, ...dropped]));
    this.problem = '';
  }

  private show(given: State, before: State, isLink: boolean): void {
    this.menu.close();
    if (this.needsBlocked) return void this.addBlocked().then(() => this.show(this.navigation.state, before, isLink));
    if (isLink) this.fitLink();
    else if (!isSameView(given, before) || this.problem !== '') this.misfits.show(this.problem);
    this.problem = '';
    if (given.width === 'blocked' && this.navigation.state.range !== null) this.leaveRangeOrBlocked(before);
    keepFocus(this.main.graph, () => this.drawChange(this.navigation.state, before)); // the panel may have it, and close
  }

  /** What was chosen last stays. */
  private leaveRangeOrBlocked(before: State): void {
    this.navigation.correct(before.width === 'blocked' ? { width: START.width } : { range: null });
    this.misfits.show('Who blocks whom is known of the whole time, not of a range.');
  }

  private drawChange(state: State, before: State): void {
    if (isSelection(state, before)) return this.drawSelection();
    this.place(state);
    if (isSameView(state, before) && (this.main.container.hidden || before.view === state.view)) {
      this.showControls(state);
      return this.drawTables();
    }
    const { graph } = this.main;
    // paths from the root and from leaves differ
    if (state.isInverted !== before.isInverted && isSameZoom(state, before)) this.navigation.correct(NO_ZOOM);
    if (this.isReordered(state, before)) this.navigation.correct({ zoom: state.zoom.slice(0, -1), zoomLast: null });
    const isZoomed = !isSameZoom(this.navigation.state, before);
    this.drawGraph(isZoomed);
    if (isZoomed || state.threads !== before.threads || state.isIcicle !== before.isIcicle) graph.scrollToView();
    if (state.chosen !== before.chosen) this.tooltip.hide();
    this.drawTablesSoon();
  }

  /** Marks the chosen function at once. What takes longer follows: the panel, which moves the frames, and strips and tables. */
  private drawSelection(): void {
    this.drawGraph(false, true);
    this.tooltip.hide();
    this.isUnplaced = true;
    this.drawTablesSoon();
  }

  /** Shows the parts of the view, and makes space for the panel, before anything is drawn in the space that is left. */
  private place(state: State): void {
    this.isUnplaced = false;
    showTheme(state.theme);
    const { chart, area, panel, panelDivider } = this;
    chart.show(state);
    area.place(this.view, state);
    const isOpen = this.isPanelOpen(state);
    panel.element.hidden = panelDivider.element.hidden = !isOpen;
    panel.element.classList.toggle('sized', state.panelShare !== null);
    panel.element.style.setProperty('--share', `${state.panelShare ?? 0}%`);
  }

  /** The view that is shown: the timeline, while a thread is chosen for it. */
  private get view(): ShownView {
    return this.chart.isOpen ? 'timeline' : this.navigation.state.view;
  }

  private open(view: ShownView): void {
    const { navigation, chart, views } = this;
    if (view === 'timeline') {
      const { threads, hidesIdle } = navigation.state;
      const shown = chosenRow(views.threads, threads, hidesIdle).threads.map((at) => views.threads[at] as ThreadRow);
      const busiest = shown.reduce((most, row) => (row.onCpuNs > most.onCpuNs ? row : most), shown[0] as ThreadRow);
      chart.open(views.data.threads[busiest.threads[0] as number]?.tid as number);
    } else navigation.change({ view, chart: null, chartRange: null, call: null });
  }

  private isPanelOpen(state: State): boolean {
    const { views } = this;
    return state.chosen !== null && views.hasTimes && views.isInView(state, state.chosen);
  }

  /** Whether several siblings fill the width that may no longer be neighbours in the new order. */
  private isReordered(state: State, before: State): boolean {
    const { zoomLast } = this.navigation.state;
    if (zoomLast === null || !isSameZoom(state, before) || (state.order === 'name' && before.order === 'name'))
      return false;
    return !this.views.isSameTable(state, before);
  }

  /** Draws the graph. A zoom path that no longer exists is shortened to the part that does. */
  private drawGraph(isOtherView: boolean, leavesAxis = false): void {
    const { navigation, views, main } = this;
    navigation.correct(views.corrected(navigation.state));
    const { zoom } = navigation.state;
    const left = existingPrefix(views.tableAt(navigation.state), zoom);
    const isLost = left.length < zoom.length;
    if (isLost) navigation.correct({ zoom: left, zoomLast: null });
    const { state } = navigation;
    main.draw(state, isOtherView || isLost);
    this.showControls(state);
    this.isAxisLate = leavesAxis;
    if (!leavesAxis) this.axis.show(state);
  }

  private showControls(state: State): void {
    const { header, bar, chips, crumbs, views, main } = this;
    header.show(state);
    header.showResult(main.result, views.namesAt(state).problem);
    bar.show(state, this.view);
    chips.show(chipsOf(views, state), state.against === '' ? restToggle(views, state) : null);
    crumbs.show(state, views.names);
    this.finding.show(findingsKey(views, state), () => findingsAt(views, this.navigation.state), state.finding);
  }

  /** Does what a button of a finding says. */
  private follow(action: FindingAction): void {
    if ('change' in action) return this.navigation.change(action.change);
    document.getElementById('trust')?.showPopover();
  }

  /** Draws the tables after the graph was painted. */
  private drawTablesSoon(): void {
    this.drawSoon(() => this.drawTables());
  }

  /** Draws after the browser has painted what is drawn already. Until then, the page is busy. */
  private drawSoon(draw: () => void): void {
    cancelAnimationFrame(this.pendingFrame);
    this.column.ariaBusy = 'true';
    const frame = requestAnimationFrame(() =>
      setTimeout(() => {
        if (frame === this.pendingFrame) this.column.ariaBusy = null;
        keepFocus(this.main.graph, draw);
      }),
    );
    this.pendingFrame = frame;
  }

  private drawTables(): void {
    const { state } = this.navigation;
    if (this.isUnplaced) this.place(state);
    this.drawPanel(state);
    if (!this.isOtherWidth) return this.drawTable();
    this.drawGraph(false, true);
    this.drawSoon(() => this.drawTable());
  }

  private drawTable(): void {
    const { state } = this.navigation;
    if (this.isAxisLate) this.axis.show(state);
    this.isAxisLate = false;
    this.area.drawTable(this.view, state);
  }

  private drawPanel(state: State): void {
    const { views, panel, panelDivider } = this;
    if (state.chosen === null) views.server?.stop();
    const chosen = state.chosen === null ? null : views.functionAt(state, state.chosen);
    panel.show(chosen && { function: chosen, state, colouring: views.colouringOf(state) });
    panelDivider.show();
  }

  /** Draws calls that arrived from the server, in the chart and in its table. */
  private showArrivedSoon(): void {
    this.pendingCalls ||= requestAnimationFrame(() => {
      this.pendingCalls = 0;
      this.chart.redraw();
      if (this.view === 'timeline') this.area.drawTable('timeline', this.navigation.state);
    });
  }

  showArrivedCallsOfFunction(): void {
    this.views.addArrivedCalls();
    this.drawPanel(this.navigation.state);
  }

  private stepView(by: 1 | -1): void {
    this.open(this.bar.next(this.view, by));
  }

  private stepTab(by: 1 | -1): void {
    const { navigation } = this;
    const at = TABS.indexOf(navigation.state.tab) + by;
    navigation.changeLayout({ tab: TABS[(at + TABS.length) % TABS.length] as (typeof TABS)[number] });
  }

  private listen(): void {
    document.addEventListener('keydown', (event) => this.press(event), { signal: lifetime() });
    // scrollbars change the width, too; redraw in the next frame, as observers must not trigger layout
    onResize(this.main.container, () => {
      if (this.main.table === undefined) return; // it waits for the timeline
      this.main.graph.keepScroll();
      requestAnimationFrame(() => this.fit());
    });
  }

  private fit(): void {
    if (!this.isOtherWidth) return;
    keepFocus(this.main.graph, () => this.drawGraph(false));
    this.drawTablesSoon();
  }

  private get isOtherWidth(): boolean {
    return !this.main.container.hidden && !this.main.graph.fits;
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event) || this.help.open) return;
    if (this.menu.isOpen) return event.key === 'Escape' ? this.menu.close() : undefined;
    if (event.key === 'Escape' && document.querySelector(':popover-open') !== null) return; // the browser closes it
    if (belongsToControl(event)) return;
    if (this.chart.press(event)) return event.preventDefault();
    if (this.main.step(event.key)) return event.preventDefault();
    if (needsFrame(event.key) && !this.main.isAimedAt && document.activeElement !== document.body) return;
    if (event.key === 'Escape') this.tooltip.hide();
    const action = actionOf(event.key, {
      main: this.main,
      actions: this.actions,
      navigation: this.navigation,
      views: this.views,
      search: () => this.header.field.focus(),
      step: (by) => this.header.step(by, true),
      help: () => this.help.showModal(),
      menu: () => this.openMenuByKey(),
      stepView: (by) => this.stepView(by),
      stepTab: (by) => this.stepTab(by),
    });
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  private openMenuByKey(): void {
    const { graph, aimedBox } = this.main;
    const area = graph.rectangleOf(aimedBox);
    if (area) this.actions.openMenuOf(aimedBox, area.left, area.bottom);
  }
}

/** Whether only another function is chosen. */
function isSelection(state: State, before: State): boolean {
  const isOther = state.chosen !== before.chosen;
  return isOther && JSON.stringify({ ...state, chosen: before.chosen }) === JSON.stringify(before);
}

function isSameZoom(a: State, b: State): boolean {
  return a.zoom.join() === b.zoom.join() && a.zoomLast === b.zoomLast;
}

/** What a report is drawn from. */
export interface ReportData {
  readonly data: PageData;
  /** Reads the timeline, after the first picture; null: there is none. */
  readonly timeline: (() => Promise<Timeline>) | null;
  /** Reads blocked time, when it is shown first; null, default: there is none. */
  readonly blocked?: (() => Promise<PageData>) | null;
  /** Default: none were asked for. */
  readonly requests?: PageRequests | null;
  readonly source?: PageSource | null;
  /** Of the offline page. Default: the page is a file, or served. */
  readonly dropped?: RemedyPlace | null;
}

/** Draws a report into an element, which says in which state it starts. The header of the page gets search and menus. */
export async function start(container: HTMLElement, report: ReportData): Promise<void> {
  const { data, timeline, blocked = null, requests = null, source = null, dropped = null } = report;
  measureScrollbar();
  const ended = lifetime();
  const server = ownServer(container);
  const calls = server && new ServedFunctionCalls(server, () => app.showArrivedCallsOfFunction());
  const views = new Views(data, calls, blocked !== null);
  views.requests = requests;
  views.source = source;
  views.dropped = dropped;
  const { state: initial } = parseHash(container.dataset['start'] ?? '', views.linkNames, START);
  const app = new App(views, container, initial, server, timeline !== null, blocked);
  if (app.needsBlocked) await app.addBlocked();
  if (ended.aborted) return;
  if (timeline === null) return app.draw();
  if (!app.needsTimeline) {
    app.draw();
    await afterPainting();
  }
  const decoded = await timeline();
  if (ended.aborted) return;
  app.addTimeline(decoded);
  while (!ended.aborted && views.prepareRanges()) await new Promise((done) => setTimeout(done)); // so that the first range is as fast
}

/** The browser paints right after the animation frame, before it begins anything else. */
function afterPainting(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
