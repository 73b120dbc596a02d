/**
 * The actions on a frame and on its function.
 */

import { withoutEmptyNodes } from '../../../model/calls/call-tree.js';
import type { SymbolTable } from '../../../model/symbol-table.js';
import type { NodeId, SymbolId } from '../../../model/units.js';
import { cleanNames, foldedLines, lineTexts } from '../../../render/folded.js';
import { type FrameTable, nameOf, subtreeEnd } from '../../../render/frames/frame-table.js';
import { nameTree } from '../../../render/named-tree.js';
import { isolated, visibleText } from '../../../render/visible-text.js';
import { NO_ZOOM } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import type { Action, Menu } from '../menu.js';
import type { Navigation } from '../platform/navigation.js';
import { announce, copyText } from '../platform/save.js';
import type { MainGraph } from './main-graph.js';

export class FrameActions {
  constructor(
    private readonly main: MainGraph,
    private readonly navigation: Navigation,
    private readonly views: Views,
    private readonly menu: Menu,
  ) {}

  /** Opens the menu of a function at a point of the window. `back`: returns the focus. */
  openMenu(symbol: SymbolId, xPx: number, yPx: number, back: () => void): void {
    this.menu.open(isolated(this.views.names[symbol] as string), this.ofFunction(symbol), xPx, yPx, back);
  }

  /** Opens the menu of a box. */
  openMenuOf(box: number, xPx: number, yPx: number): void {
    const { main } = this;
    main.hideDetails();
    const label = isolated(nameOf(main.table, main.nodeOf(box)));
    this.menu.open(label, this.of(box), xPx, yPx, () => main.graph.focus(box));
  }

  /** Opens the menu of an entry of the legend. */
  openLibraries(files: readonly string[], button: HTMLElement): void {
    const heading = isolated(files.map(visibleText).join(', '));
    this.menu.openBelow(button, heading, () => [{ heading, actions: this.ofLibraries(files) }]);
  }

  /** Returns the actions on a box, with their keys. */
  private of(box: number): Action[] {
    const { main } = this;
    const symbol = main.symbolOf(box);
    const zoom = { text: 'Zoom', key: 'Enter', act: () => main.zoomTo(box) };
    if (symbol === null) return [zoom, this.order()];
    return [
      zoom,
      ...this.ofFunction(symbol),
      this.order(),
      { text: 'Copy stack', key: 'c', act: () => this.copyStack(box) },
      { text: 'Copy folded stacks', key: 'C', act: () => this.copyFolded(box) },
    ];
  }

  private order(): Action {
    const isByName = this.navigation.state.order === 'name';
    const text = isByName ? 'Order siblings by weight' : 'Order siblings by name';
    return { text, key: 's', act: () => this.navigation.change({ order: isByName ? 'weight' : 'name' }) };
  }

  /** Opens or closes the function panel. Does nothing in traces without times, and for stops without waits. */
  choose(symbol: SymbolId | null): void {
    if (symbol === null || !this.views.canOpen(symbol)) return;
    this.navigation.change({ chosen: symbol === this.navigation.state.chosen ? null : symbol });
  }

  /** Opens the function panel, or leaves it open. */
  open(symbol: SymbolId): void {
    if (symbol !== this.navigation.state.chosen) this.choose(symbol);
  }

  /** Zooms the flame graph to the largest frame of a function. */
  zoomToFunction(symbol: SymbolId): void {
    this.navigation.change({ ...this.main.zoomOfFunction(symbol), view: 'graph', chart: null });
  }

  focusOn(focus: SymbolId | null): void {
    if (focus === null) return;
    const file = this.views.libraries.collapsedAt(focus);
    if (file === null) this.navigation.change({ focus, ...NO_ZOOM });
    else this.navigation.change({ onlyLibrary: file, ...NO_ZOOM });
  }

  hide(symbol: SymbolId | null): void {
    if (symbol === null) return;
    const file = this.views.libraries.collapsedAt(symbol);
    if (file !== null) return this.hideLibraries([file]);
    const hidden = [...new Set([...this.navigation.state.hidden, symbol])];
    this.navigation.change({ hidden, chosen: null });
  }

  copyStack(box: number): void {
    this.copy(box, 'stack', (table, node) => stackText(table, node));
  }

  copyFolded(box: number): void {
    this.copy(box, 'folded stacks', (table, node) =>
      foldedText(this.views.comparedAt(this.navigation.state)?.after ?? table, this.views.libraries.symbols, node),
    );
  }

  /** Copies text of a single frame; merged frames and the root have no stack. */
  private copy(box: number, what: string, textOf: (table: FrameTable, node: NodeId) => string): void {
    const { main } = this;
    if (main.symbolOf(box) === null) return announce('nothing to copy: point at a frame');
    void copyText(textOf(main.table, main.nodeOf(box))).then(() => announce(`${what} copied`));
  }

  /** Returns the actions that need only a function, not a frame. */
  ofFunction(symbol: SymbolId): Action[] {
    const name = this.views.names[symbol] as string;
    const open = { text: 'Select function', key: 'o', act: () => this.choose(symbol) };
    return [
      ...(this.views.canOpen(symbol) ? [open] : []),
      { text: 'Show only inside', key: 'f', act: () => this.focusOn(symbol) },
      { text: 'Hide', key: 'h', act: () => this.hide(symbol) },
      ...this.ofLibraryOf(symbol),
      { text: 'Search for function', key: '', act: () => this.navigation.change({ search: name }) },
    ];
  }

  /** Draws the frames of a function's library as one, or apart again. */
  collapse(symbol: SymbolId | null): void {
    const file = symbol === null ? '' : this.views.libraries.fileOf(symbol);
    if (file === '') return;
    const { collapsed } = this.navigation.state;
    if (collapsed.includes(file)) this.collapseTo(collapsed.filter((other) => other !== file));
    else this.collapseTo([...collapsed, file]);
  }

  private ofLibraryOf(symbol: SymbolId): Action[] {
    const { libraries } = this.views;
    const file = libraries.fileOf(symbol);
    if (file === '') return [];
    const isCollapsed = this.navigation.state.collapsed.includes(file);
    const text = isCollapsed ? 'Draw each function of its library' : 'Collapse its library';
    return [
      { text, key: 'l', act: () => this.collapse(symbol) },
      ...(libraries.collapsedAt(symbol) === null
        ? [{ text: 'Hide its library', key: '', act: () => this.hideLibraries([file]) }]
        : []),
    ];
  }

  private ofLibraries(files: readonly string[]): Action[] {
    const { collapsed } = this.navigation.state;
    const isCollapsed = files.every((file) => collapsed.includes(file));
    const others = this.views.libraries.files.filter((file) => !files.includes(file));
    const [only] = files;
    const toggled = isCollapsed
      ? collapsed.filter((file) => !files.includes(file))
      : [...new Set([...collapsed, ...files])];
    const text = isCollapsed
      ? 'Draw each function'
      : files.length === 1
        ? 'Collapse to one frame'
        : 'Collapse to one frame each';
    const show = {
      text: 'Show only inside',
      key: '',
      act: () => this.navigation.change({ onlyLibrary: only as string, ...NO_ZOOM }),
    };
    return [
      { text, key: files.length === 1 ? 'l' : '', act: () => this.collapseTo(toggled) },
      ...(others.length > 0 ? [{ text: 'Collapse all others', key: '', act: () => this.collapseTo(others) }] : []),
      { text: 'Hide, with all it calls', key: '', act: () => this.hideLibraries(files) },
      ...(files.length === 1 ? [show] : []),
    ];
  }

  private collapseTo(collapsed: readonly string[]): void {
    this.navigation.change({ collapsed });
  }

  private hideLibraries(files: readonly string[]): void {
    const hiddenLibraries = [...new Set([...this.navigation.state.hiddenLibraries, ...files])];
    this.navigation.change({ hiddenLibraries, chosen: null });
  }
}

/**
 * Writes stacks as text for the clipboard.
 *
 * Returns the stack from the outermost function to the frame, one name per line.
 */
function stackText(table: FrameTable, node: NodeId): string {
  const names: string[] = [];
  for (let at = node; at > 0; at = table.parent[at] as NodeId) names.push(nameOf(table, at));
  return names.reverse().join('\n');
}

/** Returns the folded stacks of a frame and its callees, as `ptflame render` writes them, weighted by the width. */
export function foldedText(table: FrameTable, symbols: SymbolTable, top: NodeId): string {
  const { tree, self } = table;
  const end = subtreeEnd(table, top);
  const selfNs = self.map((own, node) => (node >= top && node < end ? own : 0));
  const together = withoutEmptyNodes({ ...tree, selfNs, calls: new Float64Array(tree.length) });
  return [...lineTexts(foldedLines(nameTree(together, cleanNames(symbols)), symbols.kind, 'ns', { minNs: 1 }))].join(
    '',
  );
}
