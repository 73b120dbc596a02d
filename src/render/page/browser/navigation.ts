/**
 * What is looked at, in the address: the browser's way back undoes what was done, letters that were typed in one step.
 */
import { formatHash, NO_ZOOM, parseHash, type State } from '../view/state.js';

export class Navigation {
  state: State;
  private readonly symbols: number;
  private readonly start: State;
  private readonly show: (state: State, before: State) => void;

  /** `symbols`: how many there are. `start`: how the file was asked for. */
  constructor(symbols: number, start: State, show: (state: State, before: State) => void) {
    this.symbols = symbols;
    this.start = start;
    this.show = show;
    this.state = this.read();
    addEventListener('hashchange', () => this.follow());
    addEventListener('popstate', () => this.follow());
  }

  /** `isSameStep`: it goes on with what was done last. */
  change(change: Partial<State>, isSameStep = false): void {
    const state = { ...this.state, ...change };
    const hash = formatHash(state, this.start);
    if (hash === formatHash(this.state, this.start)) return;
    if (isSameStep) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    this.goTo(state);
  }

  /** Letter by letter. */
  typeSearch(search: string): void {
    this.change({ search }, this.state.search !== '');
  }

  /** What makes no sense in what is looked at is no step to go back to; nothing is drawn. */
  correct(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    history.replaceState(null, '', formatHash(this.state, this.start));
  }

  zoomOut(): void {
    this.change(NO_ZOOM);
  }

  /** The address was changed by the reader, or by the way back. */
  private follow(): void {
    const state = this.read();
    if (formatHash(state, this.start) !== formatHash(this.state, this.start)) this.goTo(state);
  }

  private goTo(state: State): void {
    const before = this.state;
    this.state = state;
    this.show(state, before);
  }

  private read(): State {
    return parseHash(location.hash, this.symbols, this.start);
  }
}
