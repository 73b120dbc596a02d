/**
 * What is looked at, in the address: the browser's way back undoes what was done, letters that were typed in one step.
 */
import { formatHash, NO_ZOOM, type PageLayout, pageLayoutOf, parseHash, type State } from '../../view/state.js';

/** Marks steps of the page: an address that the reader wrote has none. */
const OURS = 'ptflame';

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
    this.correctAddress(this.state);
    addEventListener('hashchange', () => this.follow());
    addEventListener('popstate', ({ state }) => this.follow(state === OURS));
  }

  /** `isSameStep`: it goes on with what was done last. */
  change(change: Partial<State>, isSameStep = false): void {
    const state = { ...this.state, ...change };
    const hash = formatHash(state, this.start);
    if (hash === formatHash(this.state, this.start)) return;
    if (isSameStep) history.replaceState(OURS, '', hash);
    else history.pushState(OURS, '', hash);
    this.goTo(state);
  }

  /** The page is arranged otherwise, which is no step to go back. */
  changeLayout(change: Partial<PageLayout>): void {
    this.change(change, true);
  }

  /** Letter by letter. */
  typeSearch(search: string): void {
    this.change({ search }, this.state.search !== '');
  }

  /** What makes no sense in what is looked at is no step to go back to; nothing is drawn. */
  correct(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.correctAddress(this.state);
  }

  zoomOut(): void {
    this.change(NO_ZOOM);
  }

  /** The address was changed by the reader, or by the way back (`isOurs`), which leaves the page arranged as it is. */
  private follow(isOurs = false): void {
    const written = this.read();
    const state = isOurs ? { ...written, ...pageLayoutOf(this.state) } : written;
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
