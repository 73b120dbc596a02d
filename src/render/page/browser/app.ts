/**
 * The page: what the reader does → what is looked at → what is drawn.
 */
import { renderJson } from '../../../profile-file/write.js';
import { formatCount } from '../../format.js';
import { nameOf } from '../../frames/frame-table.js';
import { isolated } from '../../frames/isolated.js';
import { recordingFileName } from '../../frames/recording-name.js';
import { htmlElement as html } from '../../viewer/dom.js';
import { isShortcut } from '../../viewer/keys.js';
import { chipsOf } from '../captions/chips.js';
import { tracedHint, widthName } from '../captions/details.js';
import { legendEntries } from '../captions/legend.js';
import { profileOf } from '../data/profile-of.js';
import { leadingPart } from '../view/paths.js';
import { type Arrangement, isSameView, NO_ZOOM, type State, type Tab } from '../view/state.js';
import type { Views } from '../view/views.js';
import { Divider } from './controls/divider.js';
import { Menu } from './controls/menu.js';
import { Tabs } from './controls/tabs.js';
import { Toolbar } from './controls/toolbar.js';
import { keepFocus } from './focus.js';
import { FrameActions } from './graph/frame-actions.js';
import { FunctionPanel } from './graph/function-panel.js';
import { MainGraph } from './graph/main-graph.js';
import { Tooltip } from './graph/tooltip.js';
import { helpDialog } from './help.js';
import { actionOf, isOfControl, isOfFrame } from './keys.js';
import { measureCharacterPx } from './measure.js';
import { Navigation } from './navigation.js';
import { pageActions } from './page-actions.js';
import { saveText } from './save.js';
import { svgText } from './save-svg.js';
import { FunctionsTable } from './tables/functions-table.js';
import { ThreadsTable } from './tables/threads-table.js';

export class App {
  private readonly views: Views;
  private readonly characterPx = measureCharacterPx();
  private readonly navigation: Navigation;
  private readonly tooltip = new Tooltip();
  private readonly menu = new Menu();
  private readonly help = helpDialog();
  private readonly main: MainGraph;
  private readonly actions: FrameActions;
  private readonly toolbar: Toolbar;
  private readonly functions: FunctionsTable;
  private readonly threads: ThreadsTable;
  private readonly panel: FunctionPanel;
  private readonly tabs: Tabs<Tab>;
  private readonly dock: HTMLElement;
  private readonly belowGraph: Divider;
  private readonly besidePanel: Divider;
  private soon = 0;

  constructor(views: Views, place: HTMLElement, start: State) {
    this.views = views;
    this.navigation = new Navigation(views.names.length, start, (state, before) => this.show(state, before));
    this.main = new MainGraph(views, this.navigation, this.tooltip, this.characterPx, (...at) => this.openMenu(...at));
    this.actions = new FrameActions(this.main, this.navigation, views);
    this.toolbar = this.newToolbar();
    const arrange = (change: Partial<Arrangement>) => this.navigation.arrange(change);
    this.functions = new FunctionsTable(views, this.characterPx, {
      choose: (symbol) => this.actions.choose(symbol),
      arrange,
    });
    this.threads = new ThreadsTable(views, { change: (change) => this.navigation.change(change), arrange });
    this.panel = this.newPanel();
    this.tabs = this.newTabs();
    this.belowGraph = new Divider('Resize the graph', false, {
      measure: () => (100 * this.main.place.offsetHeight) / Math.max(1, place.clientHeight),
      move: (graphShare) => arrange({ graphShare }),
    });
    this.besidePanel = new Divider('Resize the function', true, {
      measure: () => (100 * this.panel.element.offsetWidth) / Math.max(1, this.dock.clientWidth),
      move: (panelShare) => arrange({ panelShare }),
    });
    this.dock = html('div', { class: 'dock' }, this.tabs.element, this.besidePanel.element, this.panel.element);
    const { toolbar, main, belowGraph, dock, menu } = this;
    place.replaceChildren(toolbar.element, main.legend, main.place, belowGraph.element, dock, menu.element);
    const actions = pageActions({ save: (what) => this.save(what), help: () => this.help.showModal() });
    document.querySelector('header')?.append(actions);
    this.listen();
  }

  draw(): void {
    this.tabs.show(this.navigation.state.tab);
    this.divide();
    this.drawGraph(true);
    this.main.graph.showRun();
    this.drawTablesSoon();
  }

  private show(state: State, before: State): void {
    this.menu.close();
    this.tabs.show(state.tab);
    this.divide();
    if (isSameView(state, before)) return this.drawTables();
    const { graph } = this.main;
    // a path from the root is none from the leaves
    if ((state.width === 'self') !== (before.width === 'self') && isSameZoom(state, before))
      this.navigation.correct(NO_ZOOM);
    if (this.isReordered(state, before)) this.navigation.correct({ zoom: state.zoom.slice(0, -1), zoomLast: null });
    const isZoomed = !isSameZoom(this.navigation.state, before);
    keepFocus(this.main.graph, () => this.drawGraph(isZoomed));
    if (isZoomed || state.threads !== before.threads || state.isIcicle !== before.isIcicle) graph.showRun();
    if (state.chosen !== before.chosen) this.tooltip.hide();
    this.drawTablesSoon();
  }

  /** Several siblings fill the width, and by weight they may not be neighbours any more. */
  private isReordered(state: State, before: State): boolean {
    const { zoomLast } = this.navigation.state;
    if (zoomLast === null || !isSameZoom(state, before) || (state.order === 'name' && before.order === 'name'))
      return false;
    return this.views.tableKey(state) !== this.views.tableKey(before);
  }

  /** Of a zoom that leads nowhere in what is looked at now, as much is kept as does. */
  private drawGraph(isElsewhere: boolean): void {
    const { navigation, views, main } = this;
    const { zoom } = navigation.state;
    const left = leadingPart(views.tableAt(navigation.state), zoom);
    const isLost = left.length < zoom.length;
    if (isLost) navigation.correct({ zoom: left, zoomLast: null });
    const { state } = navigation;
    main.draw(state, isElsewhere || isLost);
    const shown = { ...state, width: views.widthOf(state), colouring: views.colouringOf(state) };
    this.toolbar.show(shown, chipsOf(views, state));
    this.toolbar.showResult(main.result, views.namesAt(state).problem);
  }

  private stepMatch(by: 1 | -1, takesFocus: boolean): void {
    this.main.stepMatch(by, takesFocus);
    this.toolbar.showResult(this.main.result, '');
  }

  /** What is below the graph comes after it was painted: that is done between the first frame and the second. */
  private drawTablesSoon(): void {
    cancelAnimationFrame(this.soon);
    this.soon = requestAnimationFrame(() => {
      this.soon = requestAnimationFrame(() => setTimeout(() => keepFocus(this.main.graph, () => this.drawTables())));
    });
  }

  private drawTables(): void {
    const { views, navigation } = this;
    const { state } = navigation;
    this.functions.show(state);
    this.threads.show(state);
    this.panel.show(state.chosen === null ? null : views.functionAt(state, state.chosen), views.colouringOf(state));
    this.besidePanel.element.hidden = this.panel.element.hidden;
    this.besidePanel.show();
    this.belowGraph.show();
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

  /** Where the reader moved the dividers to. */
  private divide(): void {
    const { graphShare, panelShare } = this.navigation.state;
    for (const [element, share] of [
      [this.main.place, graphShare],
      [this.panel.element, panelShare],
    ] as const) {
      element.classList.toggle('sized', share !== null);
      element.style.setProperty('--share', `${share ?? 0}%`);
    }
  }

  private newTabs(): Tabs<Tab> {
    const { views, functions, threads, navigation } = this;
    const tabs = [
      { id: 'functions', title: 'Functions', content: functions.element },
      { id: 'threads', title: `Threads (${formatCount(views.threads.length)})`, content: threads.element },
    ] as const;
    return new Tabs(tabs, (tab) => navigation.arrange({ tab }));
  }

  private newPanel(): FunctionPanel {
    const { navigation, actions } = this;
    return new FunctionPanel(this.characterPx, this.tooltip, {
      focus: () => actions.focusOn(navigation.state.chosen),
      hide: () => actions.hide(navigation.state.chosen),
      close: () => navigation.change({ chosen: null }),
      open: (symbol) => (symbol === navigation.state.chosen ? undefined : actions.choose(symbol)),
      menu: (symbol, xPx, yPx, back) =>
        this.menu.open(isolated(this.views.names[symbol] as string), actions.ofFunction(symbol), xPx, yPx, back),
    });
  }

  private listen(): void {
    document.addEventListener('keydown', (event) => this.press(event));
    // a scrollbar that comes or goes changes its width, too; behind what the browser does now
    new ResizeObserver(() => {
      this.main.graph.keepInSight();
      requestAnimationFrame(() => this.fit());
    }).observe(this.main.place);
  }

  private fit(): void {
    if (this.main.graph.fits) return;
    keepFocus(this.main.graph, () => this.drawGraph(false));
    this.drawTablesSoon();
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event) || this.help.open) return;
    if (this.menu.isOpen) return event.key === 'Escape' ? this.menu.close() : undefined;
    if (isOfControl(event)) return;
    if (this.main.step(event.key)) return event.preventDefault();
    if (isOfFrame(event.key) && !this.main.isAimedAt && document.activeElement !== document.body) return;
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
    const place = graph.rectangleOf(aimedBox);
    if (place) this.openMenu(aimedBox, place.left, place.bottom);
  }

  private openMenu(box: number, xPx: number, yPx: number): void {
    const { main } = this;
    main.hideFacts();
    const label = isolated(nameOf(main.table, main.nodeOf(box)));
    this.menu.open(label, this.actions.of(box), xPx, yPx, () => main.graph.focus(box));
  }

  /** What of it is shown. */
  private wordsOf(state: State): string[] {
    const left = chipsOf(this.views, state).map(({ text }) => text);
    const width = this.views.widthOf(state);
    const { hasSwitches, data } = this.views;
    return [
      widthName(width, hasSwitches),
      ...(width === 'cpu' && !hasSwitches ? [tracedHint(data.meta)] : []),
      ...left,
      ...(state.search === '' ? [] : [`search: ${state.search}`]),
    ];
  }

  private get fileName(): string {
    return recordingFileName(this.views.data);
  }

  private save(what: 'svg' | 'json'): void {
    if (what === 'json')
      return saveText(`${this.fileName}.json`, 'application/json', renderJson(profileOf(this.views.data)));
    const { table, graph, place, painter } = this.main;
    const { state } = this.navigation;
    const caption = { about: this.views.data, title: document.title, shown: this.wordsOf(state).join(' · ') };
    const { boxes, rowCount } = graph;
    const { isIcicle } = state;
    const { characterPx } = this;
    const drawing = { table, boxes, isIcicle, rowCount, characterPx, classOf: painter.classOf };
    const legend = legendEntries(table, boxes, painter);
    const lookOf = (box: number) => graph.lookOf(box);
    saveText(
      `${this.fileName}.svg`,
      'image/svg+xml',
      svgText(drawing, lookOf, { ...caption, legend }, place.clientWidth),
    );
  }
}

function isSameZoom(a: State, b: State): boolean {
  return a.zoom.join() === b.zoom.join() && a.zoomLast === b.zoomLast;
}
