/**
 * The page: what the reader does → what is looked at → what is drawn.
 */
import { isStop } from '../../../analysis/outside.js';
import type { Boxes } from '../../../layout/layout.js';
import { BoxKind } from '../../../layout/layout.js';
import { ROOT } from '../../../model/call-tree.js';
import { histogramsOf } from '../../../model/durations.js';
import type { Profile } from '../../../model/profile.js';
import { NONE, type NodeId, type SymbolId } from '../../../model/units.js';
import { renderJson } from '../../../profile-file/write.js';
import { htmlElement as html } from '../../browser/dom.js';
import { type Facts, factsText, formatShare } from '../../frames/facts.js';
import { type FrameTable, nameOf } from '../../frames/frame-table.js';
import { type Found, matcherOf, shareOf } from '../../frames/search.js';
import { profileOf } from '../data/profile-of.js';
import { painterOf } from '../view/colouring.js';
import { detailsOf, foundText, WIDTH_NAMES } from '../view/details.js';
import { foldedText, stackText } from '../view/folded.js';
import { type Bar, barsOf } from '../view/histogram.js';
import { COLOURINGS, formatHash, parseHash, type State } from '../view/state.js';
import { threadChoices } from '../view/threads.js';
import { nodeAt, pathTo, type View, type Views } from '../view/views.js';
import { FunctionPanel } from './function-panel.js';
import { FunctionsTable } from './functions-table.js';
import { Graph } from './graph.js';
import { helpDialog } from './help.js';
import { showLegend } from './legend.js';
import { type Action, Menu } from './menu.js';
import { copyText, saveText } from './save.js';
import { svgText } from './save-svg.js';
import { Tabs } from './tabs.js';
import { switchTheme } from './theme.js';
import { ThreadsTable } from './threads-table.js';
import { type Chip, Toolbar } from './toolbar.js';
import { Tooltip } from './tooltip.js';

export class App {
  private readonly views: Views;
  private readonly profile: Profile;
  private readonly start: State;
  private readonly graph: Graph;
  private readonly toolbar: Toolbar;
  private readonly tooltip = new Tooltip();
  private readonly menu = new Menu();
  private readonly help = helpDialog();
  private readonly functions: FunctionsTable;
  private readonly threads: ThreadsTable;
  private readonly tabs: Tabs;
  private readonly panel: FunctionPanel;
  private readonly legend = html('ul', { class: 'legend', 'aria-label': 'Colours' });
  private readonly idle = html('input', { type: 'checkbox' });
  private readonly characterPx: number;
  private state: State;
  private table!: FrameTable;
  private found: Found | null = null;

  constructor(views: Views, place: HTMLElement, start: State) {
    this.views = views;
    this.profile = profileOf(views.data);
    this.start = start;
    this.state = parseHash(location.hash, views.names.length, start);
    this.characterPx = measureCharacterPx();
    const isTimed = views.data.meta.weight === 'ns';
    this.toolbar = new Toolbar(views.widths, this.toolbarEvents());
    const graphPlace = html('div', { class: 'graph main', 'aria-label': 'Flame graph' });
    this.graph = this.newGraph(graphPlace);
    this.functions = new FunctionsTable(
      { nameOf: (symbol) => this.nameOf(symbol), fileOf: (symbol) => this.fileOf(symbol) },
      (symbol) => this.choose(symbol),
      isTimed,
    );
    this.threads = new ThreadsTable(this.profile, (threads) => this.change({ threads, zoom: [], zoomLast: null }));
    this.panel = new FunctionPanel(this.characterPx, this.tooltip, {
      focus: () => this.focusOn(this.state.chosen),
      hide: () => this.hideFunction(this.state.chosen),
      close: () => this.change({ chosen: null }),
    });
    this.tabs = new Tabs([
      { id: 'functions', title: 'Functions', content: this.functions.element },
      {
        id: 'threads',
        title: `Threads (${views.threads.length})`,
        content: html('div', { class: 'threads' }, this.idleChoice(), this.threads.element),
      },
    ]);
    place.replaceChildren(
      this.toolbar.element,
      this.legend,
      graphPlace,
      html('div', { class: 'dock' }, this.tabs.element, this.panel.element),
    );
    this.listen();
  }

  draw(): void {
    this.drawGraph();
    this.graph.showRun();
    setTimeout(() => this.drawTables());
  }

  private newGraph(place: HTMLElement): Graph {
    return new Graph(
      place,
      this.characterPx,
      {
        hover: (box, { clientX, clientY }) => {
          if (this.menu.isOpen) return;
          this.graph.markBox(box);
          this.tooltip.fill(this.factsOf(box), this.barsOfBox(box));
          this.tooltip.showAt(clientX, clientY);
        },
        leave: () => this.leaveBox(),
        enter: (box) => this.enter(box),
        focused: (box, element) => {
          this.graph.focusedBox = box;
          this.graph.markBox(box);
          if (!element.matches(':focus-visible')) return;
          this.tooltip.fill(this.factsOf(box), this.barsOfBox(box));
          const { left, bottom } = element.getBoundingClientRect();
          this.tooltip.showAt(Math.max(0, left), bottom - 8);
        },
        menu: (box, { clientX, clientY }) => this.openMenu(box, clientX, clientY),
      },
      (box) => factsText(this.factsOf(box)),
    );
  }

  private toolbarEvents() {
    return {
      change: (change: Partial<State>) => this.change(change),
      step: (by: 1 | -1) => this.stepMatch(by),
      reset: () => this.change({ zoom: [], zoomLast: null }),
      leave: () => this.graph.focus(this.graph.focusedBox),
      help: () => this.help.showModal(),
      theme: switchTheme,
      save: (what: 'svg' | 'json') => this.save(what),
    };
  }

  private idleChoice(): HTMLElement {
    const idle = this.views.threads.filter((row) => row.isIdle).length;
    this.idle.addEventListener('change', () => this.change({ hidesIdle: this.idle.checked }));
    const label = html('label', { class: 'idle' }, this.idle, ` hide idle threads: ${idle} only waited`);
    if (idle === 0) label.hidden = true;
    return label;
  }

  private listen(): void {
    document.addEventListener('keydown', (event) => this.press(event));
    addEventListener('hashchange', () => this.follow());
    let drawn = innerWidth;
    addEventListener('resize', () => {
      if (innerWidth === drawn) return;
      drawn = innerWidth;
      this.drawGraph();
      this.drawPanel();
    });
  }

  /** The address was changed by the reader, or by the browser's way back. */
  private follow(): void {
    const state = parseHash(location.hash, this.views.names.length, this.start);
    if (formatHash(state, this.start) !== formatHash(this.state, this.start)) this.show(state);
  }

  private change(change: Partial<State>): void {
    const state = { ...this.state, ...change };
    const hash = formatHash(state, this.start);
    if (hash === formatHash(this.state, this.start)) return;
    const isTyped = Object.keys(change).join() === 'search'; // a letter is no step to go back
    if (isTyped) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    this.show(state);
  }

  private show(state: State): void {
    const before = this.state;
    this.state = state;
    const hadFocus = this.graph.hasFocus;
    this.drawGraph();
    const isMoved =
      before.zoom.join() !== state.zoom.join() ||
      before.threads !== state.threads ||
      before.isIcicle !== state.isIcicle;
    if (isMoved) this.graph.showRun();
    if (hadFocus) this.graph.focus(this.graph.boxes.firstOfRun);
    setTimeout(() => this.drawTables());
  }

  private drawGraph(): void {
    const { state, views } = this;
    this.table = views.tableAt(state);
    this.found = views.foundAt(state);
    const { first, last } = this.runOf(this.table);
    const painter = painterOf(this.table, state.colouring);
    this.graph.draw({ table: this.table, first, last, isIcicle: state.isIcicle, painter, isMarked: this.marker() });
    this.graph.offer(this.graph.boxes.firstOfRun);
    this.leaveBox();
    showLegend(this.legend, this.table, this.graph.boxes, painter);
    const isValid = state.search === '' || matcherOf(state.search) !== null;
    this.toolbar.show(
      { ...state, width: views.widthOf(state) },
      isValid ? this.foundText() : 'no regular expression',
      isValid,
      this.chips(),
    );
  }

  /** What is below the graph comes after it was painted. */
  private drawTables(): void {
    const { state, views } = this;
    const view = views.viewAt(state);
    this.functions.show(view.functions(), this.allNs(view), state.chosen);
    this.threads.show(threadChoices(views.threads, state.hidesIdle), state.threads);
    this.idle.checked = state.hidesIdle;
    this.drawPanel();
  }

  private drawPanel(): void {
    const { state, views } = this;
    const view = views.viewAt(state);
    const sums = state.chosen === null ? undefined : view.functions().get(state.chosen);
    const isTimed = views.data.meta.weight === 'ns'; // without times it is marked, and that is all
    if (state.chosen === null || sums === undefined || !isTimed) return this.panel.show(null);
    const { callers, callees } = views.around(state, state.chosen);
    const [name, file] = [this.nameOf(state.chosen), this.fileOf(state.chosen)];
    const bars = this.barsOfSymbol(state.chosen) ?? [];
    this.panel.element.hidden = false; // it has no width before
    this.panel.show({ name, file, sums, allNs: this.allNs(view), bars, callers, callees, colouring: state.colouring });
  }

  private allNs({ tree }: View): number {
    return tree.selfNs.reduce((sum, ns) => sum + ns, 0);
  }

  private runOf(table: FrameTable): { first: NodeId; last: NodeId } {
    const { zoom, zoomLast } = this.state;
    const first = nodeAt(table, zoom);
    if (first === null || first === ROOT) return { first: ROOT, last: ROOT };
    const last = zoomLast === null ? first : nodeAt(table, [...zoom.slice(0, -1), zoomLast]);
    return { first, last: last === null || last < first ? first : last };
  }

  private marker(): ((boxes: Boxes, box: number) => boolean) | null {
    const { found, table } = this;
    const { chosen } = this.state;
    if (found !== null) return (boxes, box) => isFound(table, found, boxes, box);
    if (chosen === null) return null;
    return ({ node, kind }, box) => kind[box] === BoxKind.Frame && table.tree.symbol[node[box] as NodeId] === chosen;
  }

  private foundText(): string {
    if (this.found === null) return '';
    const { first, last } = this.runOf(this.table);
    const { frames, weight, unknownWeight } = shareOf(this.table, this.found, first, last);
    return foundText(frames, formatShare(weight, this.graph.viewTotal), unknownWeight > 0);
  }

  private chips(): Chip[] {
    const { threads, focus, hidden, hidesIdle } = this.state;
    const row = threadChoices(this.views.threads, false).find(({ key }) => key === threads);
    const ofThreads =
      row && threads !== 'all' ? [{ text: `${row.name} (${row.which})`, undo: { threads: 'all' } }] : [];
    const ofFocus =
      focus === null
        ? []
        : [{ text: `only inside ${this.nameOf(focus)}`, undo: { focus: null, zoom: [], zoomLast: null } }];
    const ofHidden = hidden.map((symbol) => ({
      text: `without ${this.nameOf(symbol)}`,
      undo: { hidden: hidden.filter((other) => other !== symbol) },
    }));
    return [
      ...ofThreads,
      ...(hidesIdle ? [{ text: 'without idle threads', undo: { hidesIdle: false } }] : []),
      ...ofFocus,
      ...ofHidden,
    ];
  }

  private enter(box: number): void {
    const { node, lastNode, kind } = this.graph.boxes;
    const [first, last] = [node[box] as NodeId, lastNode[box] as NodeId];
    this.graph.focusedBox = box;
    const isRun = kind[box] !== BoxKind.Frame && first !== last;
    const lastSymbol = isRun ? (this.table.tree.symbol[last] as SymbolId) : null;
    this.change({ zoom: pathTo(this.table, first), zoomLast: lastSymbol });
  }

  /** Esc: one thing after the other. */
  private goBack(): void {
    const { search, chosen, zoom } = this.state;
    if (search !== '') this.change({ search: '', isOnlyMatches: false });
    else if (chosen !== null) this.change({ chosen: null });
    else if (zoom.length > 0) this.change({ zoom: zoom.slice(0, -1), zoomLast: null });
  }

  private choose(symbol: SymbolId | null): void {
    if (symbol !== null && !isStop(symbol)) this.change({ chosen: symbol === this.state.chosen ? null : symbol });
  }

  private focusOn(focus: SymbolId | null): void {
    if (focus !== null) this.change({ focus, zoom: [], zoomLast: null });
  }

  private hideFunction(symbol: SymbolId | null): void {
    if (symbol !== null)
      this.change({ hidden: [...new Set([...this.state.hidden, symbol])], zoom: [], zoomLast: null, chosen: null });
  }

  /** The next frame that the search finds, from the one that has the focus on, over the whole tree. */
  private stepMatch(by: 1 | -1): void {
    const { found, table } = this;
    if (found === null) return;
    const { length } = table.tree;
    const from = this.graph.boxes.node[this.graph.focusedBox] as NodeId;
    for (let step = 1; step <= length; step++) {
      const node = (((from + by * step) % length) + length) % length;
      if (found.isMatch[node] !== 1 || table.total[node] === 0) continue;
      return this.showNode(node);
    }
  }

  /** Zooms out as far as needed, and in to its caller if it is too narrow to be seen. */
  private showNode(node: NodeId): void {
    let box = this.boxOf(node);
    if (box === null) {
      this.change({ zoom: pathTo(this.table, node), zoomLast: null });
      box = this.boxOf(node);
    }
    if (box !== null) this.graph.focus(box);
  }

  private boxOf(node: NodeId): number | null {
    const { boxes } = this.graph;
    for (let box = 0; box < boxes.length; box++)
      if (boxes.node[box] === node && boxes.kind[box] === BoxKind.Frame && (boxes.widthPx[box] as number) > 0)
        return box;
    return null;
  }

  private factsOf(box: number): Facts {
    const symbol = this.symbolOf(box);
    const sums = symbol === null ? null : (this.views.viewAt(this.state).functions().get(symbol) ?? null);
    return detailsOf(this.table, this.graph.boxes, box, this.graph.viewTotal, this.views.widthOf(this.state), sums);
  }

  /** null: it is no single frame of a function. */
  private symbolOf(box: number): SymbolId | null {
    const { node, kind } = this.graph.boxes;
    const symbol = this.table.tree.symbol[node[box] as NodeId] as SymbolId;
    return kind[box] === BoxKind.Frame && symbol !== NONE ? symbol : null;
  }

  private barsOfBox(box: number): Bar[] | null {
    const symbol = this.symbolOf(box);
    return symbol === null ? null : this.barsOfSymbol(symbol);
  }

  private barsOfSymbol(symbol: SymbolId): Bar[] | null {
    const durations = this.views.viewAt(this.state).durations();
    const histogram = durations && histogramsOf(durations).get(symbol);
    return histogram ? barsOf(histogram) : null;
  }

  private nameOf(symbol: SymbolId): string {
    return this.views.names[symbol] as string;
  }

  private fileOf(symbol: SymbolId): string {
    const { dso, dsoName } = this.views.data.symbols;
    return dsoName[dso[symbol] as number] ?? '';
  }

  private leaveBox(): void {
    this.tooltip.hide();
    this.graph.unmark();
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || this.help.open || this.menu.isOpen) return;
    const { target } = event;
    const isControl = target instanceof HTMLElement && target.matches('input, select, button, [role=tab]');
    if (isControl && (event.key === 'Enter' || event.key === ' ' || target.matches('select, input'))) return;
    const isHandled = (this.graph.hasFocus && this.graph.step(event.key)) || this.act(event.key);
    if (isHandled) event.preventDefault();
  }

  private act(key: string): boolean {
    const box = this.graph.focusedBox;
    const node = this.graph.boxes.node[box] as NodeId;
    const symbol = this.symbolOf(box);
    const { state, table } = this;
    const { widths } = this.views;
    const actions: Readonly<Record<string, () => void>> = {
      Enter: () => this.enter(box),
      Escape: () => this.goBack(),
      '/': () => this.toolbar.focus(),
      '?': () => this.help.showModal(),
      r: () => this.change({ zoom: [], zoomLast: null }),
      n: () => this.stepMatch(1),
      N: () => this.stepMatch(-1),
      o: () => this.choose(symbol),
      f: () => this.focusOn(symbol),
      h: () => this.hideFunction(symbol),
      c: () => this.copy(stackText(table, node), 'stack'),
      C: () => this.copy(foldedText(table, node), 'folded lines'),
      m: () => {
        const place = this.graph.rectangleOf(box);
        if (place) this.openMenu(box, place.left, place.bottom);
      },
      i: () => this.change({ isIcicle: !state.isIcicle }),
      a: () => this.change({ colouring: next(COLOURINGS, state.colouring) }),
      d: switchTheme,
    };
    const width = widths[Number(key) - 1];
    const action = width && /^\d$/.test(key) ? () => this.change({ width }) : actions[key];
    action?.();
    return action !== undefined;
  }

  private openMenu(box: number, xPx: number, yPx: number): void {
    this.leaveBox();
    const node = this.graph.boxes.node[box] as NodeId;
    const symbol = this.symbolOf(box);
    const name = symbol === null ? 'these' : this.nameOf(symbol);
    const ofFunction: Action[] =
      symbol === null
        ? []
        : [
            ...(isStop(symbol)
              ? []
              : [{ text: 'Open function: callers and callees', key: 'o', act: () => this.choose(symbol) }]),
            { text: 'Focus: only what is inside of it', key: 'f', act: () => this.focusOn(symbol) },
            { text: 'Hide what is inside of it', key: 'h', act: () => this.hideFunction(symbol) },
            { text: 'Search for it', key: '', act: () => this.change({ search: name }) },
          ];
    const actions = [
      { text: 'Zoom', key: 'Enter', act: () => this.enter(box) },
      ...ofFunction,
      { text: 'Copy stack', key: 'c', act: () => this.copy(stackText(this.table, node), 'stack') },
      { text: 'Copy folded lines', key: 'C', act: () => this.copy(foldedText(this.table, node), 'folded lines') },
    ];
    this.menu.open(nameOf(this.table, node), actions, xPx, yPx, () => this.graph.focus(box));
  }

  private copy(text: string, what: string): void {
    void copyText(text).then(() => this.say(`${what} copied`));
  }

  /** Read aloud, and shown for a moment. */
  private say(text: string): void {
    const place = html('div', { class: 'toast', role: 'status' }, text);
    document.body.append(place);
    setTimeout(() => place.remove(), 2500);
  }

  private save(what: 'svg' | 'json'): void {
    if (what === 'json') return saveText('profile.json', 'application/json', renderJson(this.profile));
    const { table, graph, state, characterPx } = this;
    const title = `${document.title}: ${WIDTH_NAMES[this.views.widthOf(state)]}`;
    saveText(
      'flame.svg',
      'image/svg+xml',
      svgText(
        { table, boxes: graph.boxes, isIcicle: state.isIcicle, rowCount: graph.boxes.rowCount, characterPx },
        title,
        graph.place.clientWidth,
      ),
    );
  }
}

/** A block is marked if anything in it is found. */
function isFound(
  { nextSibling }: FrameTable,
  { isMatch, matches }: Found,
  { kind, node, lastNode }: Boxes,
  box: number,
): boolean {
  const first = node[box] as NodeId;
  if (kind[box] === BoxKind.Frame) return isMatch[first] === 1;
  for (let at = first; at !== NONE; at = at === lastNode[box] ? NONE : (nextSibling[at] as NodeId))
    if ((matches[at] as number) > 0) return true;
  return false;
}

function next<Value>(values: readonly Value[], value: Value): Value {
  return values[(values.indexOf(value) + 1) % values.length] as Value;
}

const SAMPLE = 'x'.repeat(100);

/** How wide a character is in frames. */
function measureCharacterPx(): number {
  const probe = html('span', { class: 'd3-flame-graph-label probe' }, SAMPLE);
  document.body.append(probe);
  const px = probe.getBoundingClientRect().width / SAMPLE.length;
  probe.remove();
  return px > 0 ? px : 7.23;
}
