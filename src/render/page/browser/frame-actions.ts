/**
 * What can be done with a frame, and with its function.
 */
import { isStop } from '../../../analysis/outside.js';
import type { SymbolTable } from '../../../model/symbol-table.js';
import type { SymbolId } from '../../../model/units.js';
import { nameOf } from '../../frames/frame-table.js';
import { foldedText, stackText } from '../view/folded.js';
import { NO_ZOOM } from '../view/state.js';
import type { MainGraph } from './main-graph.js';
import type { Action } from './menu.js';
import type { Navigation } from './navigation.js';
import { copyText } from './save.js';
import { say } from './say.js';

export class FrameActions {
  private readonly main: MainGraph;
  private readonly navigation: Navigation;
  private readonly symbols: SymbolTable;

  constructor(main: MainGraph, navigation: Navigation, symbols: SymbolTable) {
    this.main = main;
    this.navigation = navigation;
    this.symbols = symbols;
  }

  /** All of them, with their keys. */
  of(box: number): Action[] {
    const { main } = this;
    const symbol = main.symbolOf(box);
    return [
      { text: 'Zoom', key: 'Enter', act: () => main.enter(box) },
      ...(symbol === null ? [] : this.ofFunction(box, symbol)),
      { text: 'Copy stack', key: 'c', act: () => this.copyStack(box) },
      { text: 'Copy folded lines', key: 'C', act: () => this.copyFolded(box) },
    ];
  }

  /** Opens the function, or closes it. Stops are none. */
  choose(symbol: SymbolId | null): void {
    if (symbol === null || isStop(symbol)) return;
    this.navigation.change({ chosen: symbol === this.navigation.state.chosen ? null : symbol });
  }

  focusOn(focus: SymbolId | null): void {
    if (focus !== null) this.navigation.change({ focus, ...NO_ZOOM });
  }

  hide(symbol: SymbolId | null): void {
    if (symbol === null) return;
    const hidden = [...new Set([...this.navigation.state.hidden, symbol])];
    this.navigation.change({ hidden, ...NO_ZOOM, chosen: null });
  }

  copyStack(box: number): void {
    const { table } = this.main;
    void copyText(stackText(table, this.main.nodeOf(box))).then(() => say('stack copied'));
  }

  copyFolded(box: number): void {
    const { table } = this.main;
    void copyText(foldedText(table, this.symbols, this.main.nodeOf(box))).then(() => say('folded lines copied'));
  }

  private ofFunction(box: number, symbol: SymbolId): Action[] {
    const name = nameOf(this.main.table, this.main.nodeOf(box));
    const open = { text: 'Open function: callers and callees', key: 'o', act: () => this.choose(symbol) };
    return [
      ...(isStop(symbol) ? [] : [open]),
      { text: 'Focus: only what is inside of it', key: 'f', act: () => this.focusOn(symbol) },
      { text: 'Hide what is inside of it', key: 'h', act: () => this.hide(symbol) },
      { text: 'Search for it', key: '', act: () => this.navigation.change({ search: name }) },
    ];
  }
}
