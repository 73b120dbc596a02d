/**
 * Starts the page.
 */

import type { Timeline } from '../../model/profile/timeline.js';
import { nameOf } from '../../render/frames/frame-table.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import type { FlameGraph } from '../../render/viewer/flame-graph.js';
import { iconButton, isShortcut } from '../../render/viewer/search-field.js';
import { Tooltip } from '../../render/viewer/tooltip.js';
import { isolated } from '../../render/visible-text.js';
import { chipsOf, droppedText, misfitsOf } from '../view/captions/misfits.js';
import { type FindingAction, findingsAt, findingsKey } from '../view/findings.js';
import { existingPrefix } from '../view/frame-tables.js';
import { isSameView, NO_ZOOM, parseHash, START, type State } from '../view/state.js';
import { Views } from '../view/views.js';
import { Axis } from './axis.js';
import { StackChart } from './chart/stack-chart.js';
import { Dock } from './dock.js';
import { saveProfile, saveView } from './downloads.js';
import { FindingLine } from './finding-line.js';
import { FrameActions } from './graph/frame-actions.js';
import { MainGraph } from './graph/main-graph.js';
import { actionOf, belongsToControl, helpDialog, needsFrame } from './keys.js';
import { Menu } from './menu.js';
import { measureCharacterPx, measureScrollbar, restoreTheme } from './platform/canvas.js';
import { decodeData, decodeTimeline } from './platform/decode.js';
import { Navigation } from './platform/navigation.js';
import { type CallServer, ownServer, ServedCalls } from './served-calls.js';
import { ServedFunctionCalls } from './served-function-calls.js';
import { pageActions, Toolbar } from './toolbar.js';

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
  private readonly views: Views;
  private readonly characterPx = measureCharacterPx();
  private readonly navigation: Navigation;
  private readonly tooltip = new Tooltip();
  private readonly menu = new Menu();
  private readonly help = helpDialog();
  private readonly main: MainGraph;
  private readonly actions: FrameActions;
  private readonly toolbar: Toolbar;
  private readonly dock: Dock;
  private readonly axis: Axis;
  private readonly chart: StackChart;
  private readonly finding = new FindingLine((action) => this.follow(action));
  private readonly misfits = new Notice();
  private pendingFrame = 0;
  private pendingCalls = 0;

  constructor(views: Views, container: HTMLElement, start: State, server: CallServer | null) {
    this.views = views;
    this.navigation = new Navigation(views.linkNames, start, (...states) => this.show(...states));
    this.main = new MainGraph(views, this.navigation, this.tooltip, this.characterPx, (...at) => this.openMenu(...at));
    this.actions = new FrameActions(this.main, this.navigation, views);
    this.toolbar = this.newToolbar();
    const { navigation, actions, tooltip, menu, characterPx, toolbar, main } = this;
    const axis = new Axis(views, tooltip, {
      change: (change, isSameStep) => navigation.change(change, isSameStep),
      openChart: (tid) => this.chart.open(tid),
      openWaking: (waking) => this.chart.links.openWait(waking),
    });
    this.axis = axis;
    const served = server && new ServedCalls(server, () => this.showArrivedSoon());
    const chart = new StackChart({ views, navigation, actions, tooltip, menu, characterPx, served });
    this.chart = chart;
    const dock = new Dock({ views, navigation, actions, tooltip, menu, characterPx, chart }, main.container, container);
    this.dock = dock;
    this.finding.element.hidden = !views.hasTimes;
    container.replaceChildren(
      this.finding.element,
      this.misfits.element,
      axis.element, // above the chips, so that it stays where it is
      toolbar.element,
      main.legend,
      chart.element,
      main.container,
      dock.divider.element,
      dock.element,
      menu.element,
    );
    const actionBar = pageActions({ save: (what) => this.save(what), help: () => this.help.showModal() });
    document.querySelector('header')?.append(actionBar);
    this.listen();
  }

  draw(): void {
    this.fitLink();
    this.showChart(this.navigation.state);
    this.dock.applyLayout(this.navigation.state);
    this.drawGraph(true);
    this.main.graph.scrollToView();
    this.drawTablesSoon();
  }

  /** The initial state is about a time. */
  get needsTimeline(): boolean {
    const { range, chart, call } = this.navigation.state;
    return range !== null || chart !== null || call !== null;
  }

  /** Draws what needs the timeline, or everything if nothing has been drawn. */
  addTimeline(timeline: Timeline): void {
    this.views.timeline = timeline;
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
    this.misfits.show(droppedText([...navigation.dropped, ...dropped]));
  }

  private show(given: State, before: State, isLink: boolean): void {
    this.menu.close();
    if (isLink) this.fitLink();
    else if (!isSameView(given, before)) this.misfits.show('');
    const { state } = this.navigation;
    this.showChart(state);
    this.dock.applyLayout(state);
    if (isSameView(state, before)) return this.drawTables();
    const { graph } = this.main;
    // paths from the root and from leaves differ
    if ((state.width === 'self') !== (before.width === 'self') && isSameZoom(state, before))
      this.navigation.correct(NO_ZOOM);
    if (this.isReordered(state, before)) this.navigation.correct({ zoom: state.zoom.slice(0, -1), zoomLast: null });
    const isZoomed = !isSameZoom(this.navigation.state, before);
    keepFocus(this.main.graph, () => this.drawGraph(isZoomed));
    if (isZoomed || state.threads !== before.threads || state.isIcicle !== before.isIcicle) graph.scrollToView();
    if (state.chosen !== before.chosen) this.tooltip.hide();
    this.drawTablesSoon();
  }

  /** An open stack chart takes the place of the graph. */
  private showChart(state: State): void {
    const { main, chart, views } = this;
    chart.show(state);
    main.container.hidden = chart.isOpen;
    main.legend.hidden = chart.isOpen && views.colouringOf(state) !== 'function';
  }

  /** Whether several siblings fill the width that may no longer be neighbours in the new order. */
  private isReordered(state: State, before: State): boolean {
    const { zoomLast } = this.navigation.state;
    if (zoomLast === null || !isSameZoom(state, before) || (state.order === 'name' && before.order === 'name'))
      return false;
    return !this.views.isSameTable(state, before);
  }

  /** Draws the graph. A zoom path that no longer exists is shortened to the part that does. */
  private drawGraph(isOtherView: boolean): void {
    const { navigation, views, main } = this;
    navigation.correct({ range: views.rangeAt(navigation.state) });
    const { zoom } = navigation.state;
    const left = existingPrefix(views.tableAt(navigation.state), zoom);
    const isLost = left.length < zoom.length;
    if (isLost) navigation.correct({ zoom: left, zoomLast: null });
    const { state } = navigation;
    main.draw(state, isOtherView || isLost);
    const shown = { ...state, width: views.widthOf(state), colouring: views.colouringOf(state) };
    this.toolbar.show(shown, chipsOf(views, state));
    this.axis.show(state);
    this.toolbar.showResult(main.result, views.namesAt(state).problem);
    this.finding.show(findingsKey(views, state), () => findingsAt(views, navigation.state));
  }

  /** Does what a button of a finding says. */
  private follow(action: FindingAction): void {
    if ('change' in action) return this.navigation.change(action.change);
    const details = document.querySelector<HTMLElement>('header .notes, header .warnings');
    details?.setAttribute('tabindex', '-1');
    details?.focus();
  }

  private stepMatch(by: 1 | -1, takesFocus: boolean): void {
    this.main.stepMatch(by, takesFocus);
    this.toolbar.showResult(this.main.result, '');
  }

  /** Draws the tables after the graph was painted: painting happens between the first and the second animation frame. */
  private drawTablesSoon(): void {
    cancelAnimationFrame(this.pendingFrame);
    this.pendingFrame = requestAnimationFrame(() => {
      this.pendingFrame = requestAnimationFrame(() =>
        setTimeout(() => keepFocus(this.main.graph, () => this.drawTables())),
      );
    });
  }

  private drawTables(): void {
    this.dock.draw(this.navigation.state);
  }

  /** Draws calls that arrived from the server, in the chart and in its table. */
  private showArrivedSoon(): void {
    this.pendingCalls ||= requestAnimationFrame(() => {
      this.pendingCalls = 0;
      this.chart.redraw();
      this.dock.drawCalls(this.navigation.state.tab);
    });
  }

  showArrivedCallsOfFunction(): void {
    this.views.addArrivedCalls();
    this.dock.drawPanel(this.navigation.state);
  }

  private newToolbar(): Toolbar {
    const { navigation, main, views } = this;
    return new Toolbar(views, {
      change: (change) => navigation.change(change),
      type: (search) => navigation.typeSearch(search),
      step: (by) => this.stepMatch(by, false),
      reset: () => navigation.zoomOut(),
      leave: () => main.graph.focus(main.graph.focusedBox),
    });
  }

  private listen(): void {
    document.addEventListener('keydown', (event) => this.press(event));
    // scrollbars change the width, too; redraw in the next frame, as observers must not trigger layout
    new ResizeObserver(() => {
      if (this.main.table === undefined) return; // it waits for the timeline
      this.main.graph.keepScroll();
      requestAnimationFrame(() => this.fit());
    }).observe(this.main.container);
  }

  private fit(): void {
    if (this.main.graph.fits || this.main.container.hidden) return;
    keepFocus(this.main.graph, () => this.drawGraph(false));
    this.drawTablesSoon();
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event) || this.help.open) return;
    if (this.menu.isOpen) return event.key === 'Escape' ? this.menu.close() : undefined;
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
      search: () => this.toolbar.field.focus(),
      step: (by) => this.stepMatch(by, true),
      help: () => this.help.showModal(),
      menu: () => this.openMenuByKey(),
    });
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  private openMenuByKey(): void {
    const { graph, aimedBox } = this.main;
    const area = graph.rectangleOf(aimedBox);
    if (area) this.openMenu(aimedBox, area.left, area.bottom);
  }

  private openMenu(box: number, xPx: number, yPx: number): void {
    const { main } = this;
    main.hideDetails();
    const label = isolated(nameOf(main.table, main.nodeOf(box)));
    this.menu.open(label, this.actions.of(box), xPx, yPx, () => main.graph.focus(box));
  }

  private save(what: 'svg' | 'json'): void {
    if (what === 'json') saveProfile(this.views, this.navigation.state);
    else saveView(this.main, this.views, this.navigation.state);
  }
}

function isSameZoom(a: State, b: State): boolean {
  return a.zoom.join() === b.zoom.join() && a.zoomLast === b.zoomLast;
}

async function start(): Promise<void> {
  restoreTheme();
  measureScrollbar();
  const container = document.getElementById('app') as HTMLElement;
  const data = await decodeData(document.getElementById('data')?.textContent ?? '');
  const timeline = document.getElementById('timeline')?.textContent;
  const server = ownServer(container);
  const calls = server && new ServedFunctionCalls(server, () => app.showArrivedCallsOfFunction());
  const views = new Views(data, calls);
  const { state: initial } = parseHash(container.dataset['start'] ?? '', views.linkNames, START);
  const app = new App(views, container, initial, server);
  if (timeline == null) return app.draw();
  if (!app.needsTimeline) {
    app.draw();
    await afterPainting();
  }
  app.addTimeline(await decodeTimeline(timeline));
  while (views.prepareRanges()) await new Promise((done) => setTimeout(done)); // so that the first range is as fast
}

/** Painting happens between the first and the second animation frame. */
function afterPainting(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}

void start();
