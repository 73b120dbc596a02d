/**
 * Finds what of a link the page does not have: threads, times and frames of another recording.
 */
import { scaled } from '../../../analysis/compare.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { formatDuration } from '../../../render/format.js';
import { truncate } from '../../../render/frames/labels.js';
import { isolated, visibleText } from '../../../render/visible-text.js';
import { REST, type Sides } from '../comparison.js';
import { existingPrefix } from '../frame-tables.js';
import { type LeftOut, leavesNothingOut } from '../leaving-out.js';
import { hasLocks } from '../locks.js';
import { COMPARED_RECORDINGS, NO_ZOOM, START, type State } from '../state.js';
import { chosenRow, titleOf } from '../threads.js';
import type { LeftOutOfSide, Views } from '../views.js';
import { widthName } from './details.js';
import { momentText, rangeText } from './time.js';

export interface Misfits {
  /** Makes the state fit the page. */
  readonly change: Partial<State>;
  readonly dropped: readonly string[];
}

/** The timeline must have been read, if there is one. */
export function misfitsOf(views: Views, state: State): Misfits {
  const ofView = [viewMisfits, threadMisfits, widthMisfits, rangeMisfits, chartMisfits].map((find) =>
    find(views, state),
  );
  const fitted = Object.assign({ ...state }, ...ofView.map(({ change }) => change)) as State;
  const all = [...ofView, zoomMisfits(views, fitted)];
  return {
    change: Object.assign({}, ...all.map(({ change }) => change)),
    dropped: all.flatMap(({ dropped }) => dropped),
  };
}

const NONE: Misfits = { change: {}, dropped: [] };

function viewMisfits({ requests, data }: Views, { view }: State): Misfits {
  if (view === 'requests' && requests === null) return { change: { view: START.view }, dropped: ['view Requests'] };
  if (view === 'locks' && !hasLocks(data)) return { change: { view: START.view }, dropped: ['view Locks'] };
  return NONE;
}

/** Both recordings are shown, whatever threads a link is about. */
function threadMisfits({ data }: Views, { threads, against }: State): Misfits {
  if (data.compared === undefined) return NONE;
  const isSame = threads === COMPARED_RECORDINGS.threads && against === COMPARED_RECORDINGS.against;
  return { change: COMPARED_RECORDINGS, dropped: isSame ? [] : [`threads ${threads}`] };
}

function widthMisfits(views: Views, state: State): Misfits {
  const { width, colouring } = state;
  const isWidth = width === START.width || views.widths.includes(width);
  const isColouring = views.colouringsAt(state).includes(colouring);
  return {
    change: { ...(!isWidth && { width: START.width }), ...(!isColouring && { colouring: START.colouring }) },
    dropped: [
      ...(isWidth ? [] : [`width ${widthName(width, views)}`]),
      ...(isColouring ? [] : [`colour ${colouring}`]),
    ],
  };
}

function rangeMisfits(views: Views, state: State): Misfits {
  const { timeline } = views;
  const { range } = state;
  if (range === null) return NONE;
  if (views.isBlockedAt(state))
    return { change: { range: null }, dropped: [`time range ${rangeText(range)} of who blocks whom`] };
  const isKnown = timeline?.sumsSliceNs != null && range.startNs < timeline.durationNs;
  if (!isKnown) return { change: { range: null }, dropped: [`time range ${rangeText(range)}`] };
  return { change: {}, dropped: beyond('time range', range, timeline.durationNs) };
}

/** What begins in the recording is cut where it ends. */
function beyond(what: string, { endNs }: Bounds, durationNs: Nanoseconds): string[] {
  return endNs <= Math.ceil(durationNs) ? [] : [`${what} after ${momentText(durationNs, durationNs / 100)}`];
}

function chartMisfits({ timeline }: Views, { chart, chartRange, call }: State): Misfits {
  const isThread = (tid: number) => timeline?.threads.some((thread) => thread.tid === tid) === true;
  const isIn = ({ startNs }: Bounds) => startNs < (timeline?.durationNs ?? 0);
  const isChart = chart === null || isThread(chart);
  const isChartRange = chartRange === null || !isChart || isIn(chartRange);
  const isCall = call === null || (isThread(call.tid) && isIn(call));
  return {
    change: {
      ...(!isChart && { chart: null }),
      ...(!(isChart && isChartRange) && { chartRange: null }),
      ...(!isCall && { call: null }),
    },
    dropped: [
      ...(isChart ? [] : [`stack chart of thread ${chart}`]),
      ...(isChartRange ? [] : [`stack chart at ${rangeText(chartRange)}`]),
      ...(isCall ? [] : [`call of thread ${call.tid} at ${rangeText(call)}`]),
    ],
  };
}

function zoomMisfits(views: Views, { zoom, ...state }: State): Misfits {
  const left = existingPrefix(views.tableAt({ ...state, zoom }), zoom);
  if (left.length === zoom.length) return NONE;
  return { change: { ...NO_ZOOM, zoom: left }, dropped: [`zoom to ${views.names[zoom.at(-1) as number]}`] };
}

const MAX_SHOWN = 4;
const MAX_NAME_WIDTH = 60;

/** Says what was left out, in one line; empty: nothing. */
export function droppedText(dropped: readonly string[]): string {
  if (dropped.length === 0) return '';
  const shown = dropped.slice(0, MAX_SHOWN).map((text) => isolated(truncate(visibleText(text), MAX_NAME_WIDTH)));
  const more = dropped.length > MAX_SHOWN ? `, and ${dropped.length - MAX_SHOWN} more` : '';
  return `The link does not fit this page. Left out: ${shown.join(', ')}${more}`;
}

/** Describes what the view leaves out, with the change that undoes it. */
export interface Chip {
  readonly text: string;
  readonly undo: Partial<State>;
}

/** Returns one chip per restriction of the view. */
export function chipsOf(views: Views, state: State): Chip[] {
  const { threads, data } = views;
  if (data.compared !== undefined) return chipsOfFrames(views, state);
  const range = views.rangeAt(state);
  const ofRange = range === null ? [] : [{ text: `only ${rangeText(range)}`, undo: { range: null } }];
  const { hidesIdle } = state;
  const { key, name, which, threads: shown } = chosenRow(threads, state.threads, hidesIdle);
  const ofThreads =
    key === 'all'
      ? []
      : [{ text: name.endsWith(which) ? isolated(name) : `${isolated(name)} (${which})`, undo: { threads: 'all' } }];
  const sides = views.sidesAt(state);
  const ofOthers = sides === null ? [] : [{ text: `compared with ${othersText(views, sides)}`, undo: { against: '' } }];
  const isIdleHidden = hidesIdle && key === 'all' && shown.length < threads.length;
  const ofIdle = isIdleHidden ? [{ text: 'without idle threads', undo: { hidesIdle: false } }] : [];
  return [...ofRange, ...ofThreads, ...ofOthers, ...ofIdle, ...chipsOfFrames(views, state)];
}

/** What the other side is; the rest has as much time as what it is compared with. */
function othersText({ threads }: Views, { kind, before, scales }: Sides): string {
  if (kind !== 'rest') return titleOf(chosenRow(threads, before.threads, before.hidesIdle));
  const isScaled = Math.abs(scales.before - 1) > 1e-9;
  return `the rest${isScaled ? `, scaled to the same total (× ${Number(scales.before.toPrecision(3))})` : ''}`;
}

/** Returns what compares what is shown with the rest, or ends that; null: nothing is left out, or recordings are compared. */
export function restToggle(views: Views, state: State): Partial<State> | null {
  if (views.data.compared !== undefined || !views.hasTimes) return null;
  if (state.against === REST) return { against: '' };
  const isPart =
    views.rangeAt(state) !== null || chosenRow(views.threads, state.threads, state.hidesIdle).key !== 'all';
  return isPart && views.restOf(state) !== null ? { against: REST } : null;
}

/** More libraries share a chip. */
const MAX_COLLAPSED_CHIPS = 3;

/** Describes what is left out of the graph, with its time. */
function chipsOfFrames(views: Views, state: State): Chip[] {
  const { names, libraries } = views;
  const { focus, onlyLibrary, hidden, hiddenLibraries, collapsed, hidesPureWaits } = state;
  if (leavesNothingOut(state) && !hidesPureWaits) return [];
  const sides = views.leftOutOfSides(state);
  const textOf = (text: string, name: string, of: (leftOut: LeftOut) => Nanoseconds) => {
    const times = timesText(sides, ({ leftOut }) => of(leftOut));
    return `${text} ${isolated(name)}${times === '' ? '' : ` · ${times} left out`}`;
  };
  const libraryNs = (file: string, { hiddenNs }: LeftOut) => {
    let sumNs = 0;
    for (const [symbol, ns] of hiddenNs) if (!hidden.includes(symbol) && libraries.fileOf(symbol) === file) sumNs += ns;
    return sumNs;
  };
  const without = <Value>(list: readonly Value[], left: Value) => list.filter((other) => other !== left);
  const collapsedText = (count: number) => `${count} libraries as one frame each`;
  return [
    ...(focus === null
      ? []
      : [
          {
            text: textOf('only inside', names[focus] as string, ({ focusNs }) => focusNs),
            undo: { focus: null, ...NO_ZOOM },
          },
        ]),
    ...(onlyLibrary === ''
      ? []
      : [
          {
            text: textOf('only inside', libraries.nameOf(onlyLibrary), (side) => side.onlyLibraryNs),
            undo: { onlyLibrary: '', ...NO_ZOOM },
          },
        ]),
    ...hidden.map((symbol) => ({
      text: textOf('without', names[symbol] as string, ({ hiddenNs }) => hiddenNs.get(symbol) ?? 0),
      undo: { hidden: without(hidden, symbol) },
    })),
    ...hiddenLibraries.map((file) => ({
      text: textOf('without', libraries.nameOf(file), (side) => libraryNs(file, side)),
      undo: { hiddenLibraries: without(hiddenLibraries, file) },
    })),
    ...(collapsed.length > MAX_COLLAPSED_CHIPS
      ? [{ text: collapsedText(collapsed.length), undo: { collapsed: [] } }]
      : collapsed.map((file) => ({
          text: `${isolated(libraries.nameOf(file))} as one frame`,
          undo: { collapsed: without(collapsed, file) },
        }))),
    ...(hidesPureWaits ? [{ text: pureWaitsText(sides), undo: { hidesPureWaits: false } }] : []),
  ];
}

function pureWaitsText(sides: readonly LeftOutOfSide[]): string {
  const times = timesText(sides, ({ pureWaits }) => pureWaits.ns);
  return times === '' ? 'pure waits hidden: none' : `pure waits hidden, ${times}`;
}

/** Returns "12 µs", or of a comparison "10 µs → 12 µs"; empty if there is none. */
function timesText(sides: readonly LeftOutOfSide[], of: (side: LeftOutOfSide) => Nanoseconds): string {
  const times = sides.map((side) => scaled(of(side), side.scale));
  return times.some((ns) => ns > 0) ? times.map(formatDuration).join(' → ') : '';
}
