/**
 * Keeps the state of the page in the URL hash. The back button undoes changes; typing a search is one step.
 */
import { formatHash, NO_ZOOM, type PageLayout, pageLayoutOf, parseHash, type State } from '../../view/state.js';

/** Marks history entries of the page; addresses entered by the user have no mark. */
const OURS = 'ptflame';

export class Navigation {
  state: State;
  private readonly symbols: number;
  private readonly start: State;
  private readonly show: (state: State, before: State) => void;

  /** `symbols`: number of symbols. `start`: initial state of the file. */
  constructor(symbols: number, start: State, show: (state: State, before: State) => void) {
    this.symbols = symbols;
    this.start = start;
    this.show = show;
    this.state = this.read();
    this.correctAddress(this.state);
    addEventListener('hashchange', () => this.follow());
    addEventListener('popstate', ({ state }) => this.follow(state === OURS));
  }

  /** Changes the state. `isSameStep`: replaces the last history entry. */
  change(change: Partial<State>, isSameStep = false): void {
    const state = { ...this.state, ...change };
    const hash = formatHash(state, this.start);
    if (hash === formatHash(this.state, this.start)) return;
    if (isSameStep) history.replaceState(OURS, '', hash);
    else history.pushState(OURS, '', hash);
    this.goTo(state);
  }

  /** Changes the page layout without a new history entry. */
  changeLayout(change: Partial<PageLayout>): void {
    this.change(change, true);
  }

  /** Changes the search while typing. */
  typeSearch(search: string): void {
    this.change({ search }, this.state.search !== '');
  }

  /** Corrects a state that does not fit the view, without a history entry and without drawing. */
  correct(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.correctAddress(this.state);
  }

  zoomOut(): void {
    this.change(NO_ZOOM);
  }

  /** Handles a change of the address by the user or the back button (`isOurs`), which keeps the page layout. */
  private follow(isOurs = false): void {
    const parsed = this.read();
    const state = isOurs ? { ...parsed, ...pageLayoutOf(this.state) } : parsed;
    this.correctAddress(state);
    if (formatHash(state, this.start) !== formatHash(this.state, this.start)) this.goTo(state);
  }

  private correctAddress(state: State): void {
    history.replaceState(OURS, '', formatHash(state, this.start));
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
