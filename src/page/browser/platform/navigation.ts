/**
 * Keeps the state of the page in the URL hash. The back button undoes changes; typing a search is one step.
 */
import type { LinkNames } from '../../view/link-names.js';
import {
  formatHash,
  NO_ZOOM,
  type PageLayout,
  pageLayoutOf,
  parseHash,
  type ReadHash,
  type State,
} from '../../view/state.js';
import { lifetime } from './lifetime.js';

/** Marks history entries of the page; addresses entered by the user have no mark. */
const OURS = 'ptflame';

export class Navigation {
  state: State;
  /** What the link to this state says that the page does not know. */
  dropped: readonly string[];

  /** `start`: initial state of the file. */
  constructor(
    private readonly names: LinkNames,
    private readonly start: State,
    private readonly show: Show,
  ) {
    ({ state: this.state, dropped: this.dropped } = this.read());
    this.correctAddress(this.state);
    const signal = lifetime();
    addEventListener('hashchange', () => this.follow(), { signal });
    addEventListener('popstate', ({ state }) => this.follow(state === OURS), { signal });
  }

  /** Changes the state. `isSameStep`: replaces the last history entry. */
  change(change: Partial<State>, isSameStep = false): void {
    const state = { ...this.state, ...change };
    const hash = this.hashOf(state);
    if (hash === this.hashOf(this.state)) return;
    if (isSameStep) history.replaceState(OURS, '', hash);
    else history.pushState(OURS, '', hash);
    this.goTo(state, false);
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
    const { state: parsed, dropped } = this.read();
    const state = isOurs ? { ...parsed, ...pageLayoutOf(this.state) } : parsed;
    this.correctAddress(state);
    if (dropped.length === 0 && this.hashOf(state) === this.hashOf(this.state)) return;
    this.dropped = dropped;
    this.goTo(state, !isOurs);
  }

  private correctAddress(state: State): void {
    history.replaceState(OURS, '', this.hashOf(state));
  }

  private goTo(state: State, isLink: boolean): void {
    const before = this.state;
    this.state = state;
    this.show(state, before, isLink);
  }

  private hashOf(state: State): string {
    return formatHash(state, this.names, this.start);
  }

  private read(): ReadHash {
    return parseHash(location.hash, this.names, this.start);
  }
}

/** Draws a state. `isLink`: the user has entered an address, which need not fit the page. */
type Show = (state: State, before: State, isLink: boolean) => void;
