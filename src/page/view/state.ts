/**
 * Converts the state of the page to and from the URL hash, so that links, reloads and the back button show the same view.
 */

import { METRICS, type Metric } from '../../analysis/tree/outside.js';
import type { Bounds, SymbolId, Tid } from '../../model/units.js';
import { WIDTHS, type WidthOf } from '../../render/diff/paths.js';
import type { LinkNames } from './link-names.js';

/** Colour by library, by function, by average duration of calls, or by share of time outside traced code. */
export const COLOURINGS = ['library', 'function', 'average', 'outside'] as const;
export type Colouring = (typeof COLOURINGS)[number];

/** What frames say beside their name: calls and their average, with the total at the end; only the total; nothing. */
export const LABELS = ['calls', 'total', 'names'] as const;
export type Labels = (typeof LABELS)[number];

export const COLOURING_NAMES: Readonly<Record<Colouring, string>> = {
  library: 'Library',
  function: 'Function',
  average: 'Average duration',
  outside: 'Waiting share',
};

/** Siblings by name, or by weight with equal ones by name. Trees from leaves are always by weight. */
export const ORDERS = ['name', 'weight'] as const;
export type Order = (typeof ORDERS)[number];

/** What fills the page. The timeline is open while a thread is chosen for it. */
export const VIEWS = ['graph', 'tree', 'functions', 'threads', 'requests', 'locks'] as const;
export type ShownView = (typeof VIEWS)[number] | 'timeline';

/** Tabs of the panel. */
export const TABS = ['callers', 'calls', 'waits', 'source'] as const;
export type Tab = (typeof TABS)[number];
/** `system`: that of the system, or of an earlier visit. */
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Bounds of a divider in percent. */
export const MIN_SHARE = 10;
export const MAX_SHARE = 85;

/**
 * What widths and tables count, the lens: a metric, or blocked time, by the threads waited for, which is a tree of its own
 * (*Who blocks whom*).
 */
export type Width = Metric | 'blocked';
const WIDTH_WORDS: readonly Width[] = [...METRICS, 'blocked'];

/** What of each node of the tree that is shown counts. */
export function metricOf(width: Width): Metric {
  return width === 'blocked' ? 'wall' : width;
}

export interface State {
  /** "all", "idle", "name:worker", "tid:114078", or several: "tids:114078,114079". */
  readonly threads: string;
  /** The threads that these are compared with, likewise, or "rest": what range or threads leave; empty: none. */
  readonly against: string;
  /** In a comparison: what widths are. */
  readonly widthOf: WidthOf;
  readonly hidesIdle: boolean;
  readonly width: Width;
  /** Functions with their callers as children, by what is their own. */
  readonly isInverted: boolean;
  readonly colouring: Colouring;
  readonly labels: Labels;
  readonly isIcicle: boolean;
  readonly foldsRecursion: boolean;
  readonly order: Order;
  /** Shows only this function and its callees. */
  readonly focus: SymbolId | null;
  /** Hides these functions and their callees. */
  readonly hidden: readonly SymbolId[];
  /** Shows only this library and what it calls; empty: all. Libraries are files, as recorded. */
  readonly onlyLibrary: string;
  /** Hides these libraries and what they call. */
  readonly hiddenLibraries: readonly string[];
  /** Draws runs of frames of these libraries as one frame. */
  readonly collapsed: readonly string[];
  /** Hides call paths that did nothing but wait. */
  readonly hidesPureWaits: boolean;
  /** Path of symbols from the root to the frame that fills the width; empty: no zoom. */
  readonly zoom: readonly SymbolId[];
  /** Last of several siblings that fill the width, `zoom` leads to the first; null: a single frame. */
  readonly zoomLast: SymbolId | null;
  readonly search: string;
  /** Shows only matches of the search. */
  readonly isOnlyMatches: boolean;
  /** The selected function. */
  readonly chosen: SymbolId | null;
  /** Only this part of the recording, in ns since the start of the timeline; null: all of it. */
  readonly range: Bounds | null;
  /** The other side of a comparison shows what is outside the range; not in addresses. */
  readonly isOutsideRange?: true;
  /** The thread whose stack chart is open, and the part of the recording that it shows; null: all of it. */
  readonly chart: Tid | null;
  readonly chartRange: Bounds | null;
  /** The selected call. */
  readonly call: ChosenCall | null;
  readonly view: (typeof VIEWS)[number];
  /** Of the panel. */
  readonly tab: Tab;
  /** Key of the column that a table is sorted by, with prefix "-" if reversed; empty: by weight. */
  readonly functionsSort: string;
  readonly threadsSort: string;
  /** Keys of the columns of functions and of the call tree, "total,share,avg"; empty: the usual ones. */
  readonly columns: string;
  /** Lists functions without matches, too. */
  readonly listsAll: boolean;
  /** Height of the graph and width of the panel in percent; null: default. */
  readonly graphShare: number | null;
  readonly panelShare: number | null;
  readonly theme: Theme;
  /** Which finding is shown, from 1. */
  readonly finding: number;
}

/** A call, by its thread and time. */
export interface ChosenCall extends Bounds {
  readonly tid: Tid;
}

/** The layout of the page; changes of it add no entries to the history. */
export type PageLayout = Pick<
  State,
  'tab' | 'functionsSort' | 'threadsSort' | 'columns' | 'listsAll' | 'graphShare' | 'panelShare' | 'theme' | 'finding'
>;

export const NO_ZOOM = { zoom: [], zoomLast: null } as const satisfies Partial<State>;

export const START: State = {
  threads: 'all',
  against: '',
  widthOf: 'larger',
  hidesIdle: false,
  width: 'wall',
  isInverted: false,
  colouring: 'library',
  labels: 'calls',
  isIcicle: true,
  foldsRecursion: false,
  order: 'weight',
  focus: null,
  hidden: [],
  onlyLibrary: '',
  hiddenLibraries: [],
  collapsed: [],
  hidesPureWaits: false,
  ...NO_ZOOM,
  search: '',
  isOnlyMatches: false,
  chosen: null,
  range: null,
  chart: null,
  chartRange: null,
  call: null,
  view: 'graph',
  tab: 'callers',
  functionsSort: '',
  threadsSort: '',
  columns: '',
  listsAll: false,
  graphShare: null,
  panelShare: null,
  theme: 'system',
  finding: 1,
};

/** What a page that compares recordings shows: after, compared with before. */
export const COMPARED_RECORDINGS = { threads: 'tid:1', against: 'tid:0' } as const satisfies Partial<State>;

export function pageLayoutOf(state: State): PageLayout {
  const { tab, functionsSort, threadsSort, columns, listsAll, graphShare, panelShare, theme, finding } = state;
  return { tab, functionsSort, threadsSort, columns, listsAll, graphShare, panelShare, theme, finding };
}

/** What the graph and the tables do not depend on. */
const BESIDE_VIEW = { ...pageLayoutOf(START), view: START.view, chart: null, chartRange: null, call: null } as const;

/** Whether the graph and the tables show the same in two states, except for page layout. */
export function isSameView(a: State, b: State): boolean {
  return JSON.stringify({ ...a, ...BESIDE_VIEW }) === JSON.stringify({ ...b, ...BESIDE_VIEW });
}

/** What an address says. */
export interface ReadHash {
  readonly state: State;
  /** What is left out: it has no meaning, or the functions are not there. "function foo", "width=height". */
  readonly dropped: readonly string[];
}

/** Parses a hash. `start`: initial state of the file. */
export function parseHash(hash: string, names: LinkNames, start: State = START): ReadHash {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const dropped: string[] = [];
  const isSet = (name: string, fallback: boolean) => (params.has(name) ? params.get(name) === '1' : fallback);
  /** Reads a parameter; what cannot be read is dropped. */
  const read = <Value>(name: string, parse: (text: string) => Value | null | undefined, fallback: Value): Value => {
    const text = params.get(name) ?? '';
    const value = text === '' ? fallback : parse(text);
    if (value == null && text !== '') dropped.push(`${name}=${text}`);
    return value ?? fallback;
  };
  const oneOf = <Word extends string>(name: string, known: readonly Word[], fallback: Word): Word =>
    read(name, (text) => known.find((word) => word === text), fallback);
  const functions = (name: string, what: string, isPath = false, text = params.get(name) ?? '') => {
    const { symbols, missing } = names.read(text, isPath);
    const shown = isPath ? missing.slice(-1) : missing; // the frame, not all its callers
    dropped.push(...shown.map((missing) => `${what} ${missing}`));
    return symbols;
  };
  const threads = (name: 'threads' | 'against', fallback: string): string => {
    const { choice, missing } = names.readThreads(params.get(name) ?? fallback);
    dropped.push(...missing.map((missing) => (name === 'against' ? `compared with ${missing}` : missing)));
    return choice === '' && missing.length > 0 ? start[name] : choice;
  };
  const ofLeaves = params.get('width') === 'self'; // an older link
  const isOldWidth = ofLeaves || OLD_WIDTHS.some((name) => name === params.get('width'));
  const libraries = (name: string, what: string): readonly string[] => {
    const { files, missing } = names.readFiles(params.get(name) ?? '');
    dropped.push(...missing.map((missing) => `${what} ${missing}`));
    return files;
  };
  const hide = hideOf(params.get('hide') ?? '');
  const zoom = functions('zoom', 'zoom to', true);
  const chart = read('chart', numberOf, null);
  const state = {
    threads: threads('threads', start.threads),
    against: threads('against', start.against),
    widthOf: oneOf('width-of', WIDTHS, OLD_WIDTHS.find((name) => name === params.get('width')) ?? start.widthOf),
    hidesIdle: !isSet('idle', !start.hidesIdle),
    width: isOldWidth ? start.width : oneOf('width', WIDTH_WORDS, start.width),
    isInverted: ofLeaves || isSet('inverted', start.isInverted),
    colouring: oneOf('colour', COLOURINGS, start.colouring),
    labels: oneOf('labels', LABELS, start.labels),
    isIcicle: isSet('icicle', start.isIcicle),
    foldsRecursion: isSet('fold', start.foldsRecursion),
    order: oneOf('order', ORDERS, start.order),
    focus: functions('focus', 'only inside')[0] ?? null,
    hidden: functions('hide', 'without', false, hide.functions),
    onlyLibrary: libraries('only-library', 'only library')[0] ?? '',
    hiddenLibraries: libraries('hide-library', 'without library'),
    collapsed: libraries('collapse', 'collapsed library'),
    hidesPureWaits: hide.hidesPureWaits,
    zoom,
    zoomLast: zoom.length > 0 ? (functions('to', 'zoom to')[0] ?? null) : null,
    search: params.get('search') ?? '',
    isOnlyMatches: isSet('only', false),
    chosen: functions('function', 'function')[0] ?? null,
    range: read('range', rangeOf, null),
    chart,
    chartRange: chart === null ? null : read('at', rangeOf, null),
    call: read('call', callOf, null),
    view: OLD_TABS[params.get('tab') ?? ''] ?? oneOf('view', VIEWS, start.view),
    tab: (params.get('tab') ?? '') in OLD_TABS ? start.tab : oneOf('tab', TABS, start.tab),
    functionsSort: (params.get('sort') ?? '').replace(/(?<=^-?)weight$/, 'total'), // as older links have it
    threadsSort: params.get('sort-threads') ?? '',
    columns: params.get('columns') ?? '',
    listsAll: params.get('list') === 'all',
    graphShare: shareOf(params.get('graph')),
    panelShare: shareOf(params.get('panel')),
    theme: oneOf('theme', THEMES, start.theme),
    finding: read('finding', (text) => numberOf(text) || null, start.finding),
  };
  return { state, dropped };
}

/** What widths were of, in older links to comparisons. */
const OLD_WIDTHS: readonly WidthOf[] = WIDTHS;

/** Tables of older links. */
const OLD_TABS: Readonly<Record<string, (typeof VIEWS)[number]>> = { functions: 'graph', threads: 'threads' };

/** In `hide`, beside names of functions; a function of this name is written with its first letter escaped. */
const PURE_WAITS = 'pure-waits';
const NAMED_PURE_WAITS = '%70ure-waits';

function hideText(functions: string, hidesPureWaits: boolean): string {
  const words = functions.split(';').map((word) => (word === PURE_WAITS ? NAMED_PURE_WAITS : word));
  return [...(hidesPureWaits ? [PURE_WAITS] : []), ...(functions === '' ? [] : words)].join(';');
}

/** Reads what `hideText` writes. */
function hideOf(text: string): { readonly functions: string; readonly hidesPureWaits: boolean } {
  const words = text.split(';');
  const functions = words.filter((word) => word !== PURE_WAITS);
  return {
    functions: functions.map((word) => (word === NAMED_PURE_WAITS ? PURE_WAITS : word)).join(';'),
    hidesPureWaits: functions.length < words.length,
  };
}

/** Hides pure waits, or shows them again. */
export function togglePureWaits({ hidesPureWaits }: State): Partial<State> {
  return { hidesPureWaits: !hidesPureWaits };
}

/** Reads what `boundsText` writes, other units, and plain nanoseconds ("48-105"), as older links have them. */
function boundsOf(text: string | null): Bounds | null {
  const [startNs, endNs, ...more] = (text ?? '').split(/[,-]/).map(timeOf);
  if (startNs == null || endNs == null || more.length > 0 || startNs > endNs) return null;
  return { startNs, endNs };
}

const UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

function timeOf(text: string): number | null {
  const [, count, unit = 'ns'] = /^((?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)(ns|us|µs|ms|s)?$/.exec(text) ?? [];
  const ns = Math.round(Number(count) * (UNITS_NS[unit] as number));
  return ns < 1e15 ? ns : null;
}

/** A range or what a chart shows is not empty; a call may be. */
function rangeOf(text: string | null): Bounds | null {
  const bounds = boundsOf(text);
  return bounds !== null && bounds.startNs < bounds.endNs ? bounds : null;
}

function boundsText(bounds: Bounds | null): string {
  return bounds === null ? '' : `${bounds.startNs}ns,${bounds.endNs}ns`;
}

function callOf(text: string | null): ChosenCall | null {
  const [tidText = '', timeText = '', ...more] = (text ?? '').split('@');
  const [tid, bounds] = [numberOf(tidText), boundsOf(timeText)];
  return tid === null || bounds === null || more.length > 0 ? null : { tid, ...bounds };
}

/** Numbers as JavaScript writes them: any other text would not be stable in the address. */
function numberOf(text: string | null): number | null {
  return text !== null && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null;
}

function shareOf(text: string | null): number | null {
  if (text === null || !/^\d{1,2}$/.test(text)) return null;
  return Math.min(MAX_SHARE, Math.max(MIN_SHARE, Number(text)));
}

/** Writes only what differs from the start. `names`: of the functions; null: the state has none. */
export function formatHash(state: State, names: LinkNames | null, start: State = START): string {
  const flag = (isSet: boolean) => (isSet ? '1' : '0');
  const ids = (list: readonly (SymbolId | null)[]) => names?.write(list.filter((id) => id !== null)) ?? '';
  const files = (list: readonly string[]) => names?.writeFiles(list) ?? '';
  const text = (each: State): readonly (readonly [string, string])[] => [
    ['threads', names?.writeThreads(each.threads) ?? each.threads],
    ['against', names?.writeThreads(each.against) ?? each.against],
    ['width-of', each.widthOf],
    ['idle', flag(!each.hidesIdle)],
    ['width', each.width],
    ['inverted', flag(each.isInverted)],
    ['colour', each.colouring],
    ['labels', each.labels],
    ['icicle', flag(each.isIcicle)],
    ['fold', flag(each.foldsRecursion)],
    ['order', each.order],
    ['focus', ids([each.focus])],
    ['hide', hideText(ids(each.hidden), each.hidesPureWaits)],
    ['only-library', files(each.onlyLibrary === '' ? [] : [each.onlyLibrary])],
    ['hide-library', files(each.hiddenLibraries)],
    ['collapse', files(each.collapsed)],
    ['zoom', ids(each.zoom)],
    ['to', ids([each.zoomLast])],
    ['search', each.search],
    ['only', flag(each.isOnlyMatches)],
    ['function', ids([each.chosen])],
    ['range', boundsText(each.range)],
    ['chart', `${each.chart ?? ''}`],
    ['at', boundsText(each.chartRange)],
    ['call', each.call === null ? '' : `${each.call.tid}@${boundsText(each.call)}`],
    ['view', each.view],
    ['tab', each.tab],
    ['sort', each.functionsSort],
    ['sort-threads', each.threadsSort],
    ['columns', each.columns],
    ['list', each.listsAll ? 'all' : ''],
    ['graph', `${each.graphShare ?? ''}`],
    ['panel', `${each.panelShare ?? ''}`],
    ['theme', each.theme],
    ['finding', `${each.finding}`],
  ];
  const before = text(start);
  const params = new URLSearchParams();
  for (const [at, [name, value]] of text(state).entries()) if (value !== before[at]?.[1]) params.set(name, value);
  return `#${`${params}`.replace(/%(?:2C|3A|3B|40)/g, decodeURIComponent)}`; // , : ; @ need no escapes
}
