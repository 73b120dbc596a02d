/**
 * What is looked at ↔ the hash of the address: a link, a reload and the way back show the same.
 */
import { METRICS, type Metric } from '../../../analysis/tree/metrics.js';
import type { SymbolId } from '../../../model/units.js';

/** By function; by how long its calls take; by how much of its time is outside of traced code. */
export const COLOURINGS = ['function', 'average', 'outside'] as const;
export type Colouring = (typeof COLOURINGS)[number];

/** Siblings by name, or the heaviest first, equal ones by name. From the leaves the heaviest always is. */
export const ORDERS = ['name', 'weight'] as const;
export type Order = (typeof ORDERS)[number];

export const TABS = ['functions', 'threads'] as const;
export type Tab = (typeof TABS)[number];

/** Bounds of a divider, in percent. */
export const MIN_SHARE = 10;
export const MAX_SHARE = 85;

/** What a frame's width stands for; self: time on top of the stack, under which its callers stand. */
export const WIDTHS = [...METRICS, 'self'] as const;
export type Width = Metric | 'self';

export interface State {
  /** "all", "idle", "name:worker", "tid:114078", or several: "tids:114078,114079". */
  readonly threads: string;
  readonly hidesIdle: boolean;
  readonly width: Width;
  readonly colouring: Colouring;
  readonly isIcicle: boolean;
  readonly foldsRecursion: boolean;
  readonly order: Order;
  /** Only what is inside of this function. */
  readonly focus: SymbolId | null;
  /** Without what is inside of these. */
  readonly hidden: readonly SymbolId[];
  /** Symbols from the root to the frame that fills the width; none: everything does. */
  readonly zoom: readonly SymbolId[];
  /** The last sibling of several that fill the width, of which `zoom` leads to the first; null: there is one alone. */
  readonly zoomLast: SymbolId | null;
  readonly search: string;
  /** Only what the search finds. */
  readonly isOnlyMatches: boolean;
  /** The function that was chosen. */
  readonly chosen: SymbolId | null;
  /** The table in sight. */
  readonly tab: Tab;
  /** The column that a table is sorted by, behind "-" the other way round; empty: by its largest rows. */
  readonly functionsSort: string;
  readonly threadsSort: string;
  /** Also functions that the search does not find are listed. */
  readonly listsAll: boolean;
  /** How high the graph may be, and how wide the chosen function: percent of what there is; null: as the page has it. */
  readonly graphShare: number | null;
  readonly panelShare: number | null;
}

/** What the page is made up of, and not what is looked at: no step for the way back. */
export type PageLayout = Pick<
  State,
  'tab' | 'functionsSort' | 'threadsSort' | 'listsAll' | 'graphShare' | 'panelShare'
>;

/** Everything fills the width. */
export const NO_ZOOM = { zoom: [], zoomLast: null } as const satisfies Partial<State>;

export const START: State = {
  threads: 'all',
  hidesIdle: false,
  width: 'wall',
  colouring: 'function',
  isIcicle: false,
  foldsRecursion: false,
  order: 'name',
  focus: null,
  hidden: [],
  ...NO_ZOOM,
  search: '',
  isOnlyMatches: false,
  chosen: null,
  tab: 'functions',
  functionsSort: '',
  threadsSort: '',
  listsAll: false,
  graphShare: null,
  panelShare: null,
};

export function pageLayoutOf(state: State): PageLayout {
  const { tab, functionsSort, threadsSort, listsAll, graphShare, panelShare } = state;
  return { tab, functionsSort, threadsSort, listsAll, graphShare, panelShare };
}

/** The same is looked at, however the page is arranged. */
export function isSameView(a: State, b: State): boolean {
  return formatHash({ ...a, ...pageLayoutOf(START) }) === formatHash({ ...b, ...pageLayoutOf(START) });
}

/** What makes no sense is as if it were not there. `symbols`: how many there are. `start`: how the file was asked for. */
export function parseHash(hash: string, symbols: number, start: State = START): State {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const isSet = (name: string, otherwise: boolean) => (words.has(name) ? words.get(name) === '1' : otherwise);
  const oneOf = <Word extends string>(name: string, known: readonly Word[], otherwise: Word) =>
    known.find((word) => word === words.get(name)) ?? otherwise;
  const ids = (name: string) => idsOf(words.get(name) ?? '', symbols);
  const zoom = ids('zoom');
  return {
    threads: words.get('threads') ?? start.threads,
    hidesIdle: !isSet('idle', !start.hidesIdle),
    width: oneOf('width', WIDTHS, start.width),
    colouring: oneOf('colour', COLOURINGS, start.colouring),
    isIcicle: isSet('icicle', start.isIcicle),
    foldsRecursion: isSet('fold', start.foldsRecursion),
    order: oneOf('order', ORDERS, start.order),
    focus: ids('focus')[0] ?? null,
    hidden: ids('hide'),
    zoom,
    zoomLast: zoom.length > 0 ? (ids('to')[0] ?? null) : null,
    search: words.get('search') ?? '',
    isOnlyMatches: isSet('only', false),
    chosen: ids('function')[0] ?? null,
    tab: oneOf('tab', TABS, start.tab),
    functionsSort: words.get('sort') ?? '',
    threadsSort: words.get('sort-threads') ?? '',
    listsAll: words.get('list') === 'all',
    graphShare: shareOf(words.get('graph')),
    panelShare: shareOf(words.get('panel')),
  };
}

function shareOf(text: string | null): number | null {
  if (text === null || !/^\d{1,2}$/.test(text)) return null;
  return Math.min(MAX_SHARE, Math.max(MIN_SHARE, Number(text)));
}

function idsOf(text: string, symbols: number): SymbolId[] {
  const ids = text.split('.').map((word) => (/^\d{1,9}$/.test(word) ? Number(word) : symbols));
  return ids.every((id) => id < symbols) ? ids : [];
}

/** Only what differs from the start. */
export function formatHash(state: State, start: State = START): string {
  const flag = (isSet: boolean) => (isSet ? '1' : '0');
  const ids = (list: readonly (SymbolId | null)[]) => list.filter((id) => id !== null).join('.');
  const text = (each: State): readonly (readonly [string, string])[] => [
    ['threads', each.threads],
    ['idle', flag(!each.hidesIdle)],
    ['width', each.width],
    ['colour', each.colouring],
    ['icicle', flag(each.isIcicle)],
    ['fold', flag(each.foldsRecursion)],
    ['order', each.order],
    ['focus', ids([each.focus])],
    ['hide', ids(each.hidden)],
    ['zoom', ids(each.zoom)],
    ['to', ids([each.zoomLast])],
    ['search', each.search],
    ['only', flag(each.isOnlyMatches)],
    ['function', ids([each.chosen])],
    ['tab', each.tab],
    ['sort', each.functionsSort],
    ['sort-threads', each.threadsSort],
    ['list', each.listsAll ? 'all' : ''],
    ['graph', `${each.graphShare ?? ''}`],
    ['panel', `${each.panelShare ?? ''}`],
  ];
  const before = text(start);
  const words = new URLSearchParams();
  for (const [at, [name, value]] of text(state).entries()) if (value !== before[at]?.[1]) words.set(name, value);
  return `#${words}`;
}
