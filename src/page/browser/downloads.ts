/**
 * Saves the view as SVG, and its time range as a profile in JSON.
 */

import { overlaps } from '../../analysis/log/filter-thread.js';
import { LossKinds } from '../../analysis/losses.js';
import { isLost, isStop } from '../../analysis/tree/outside.js';
import { ROOT, withoutEmptyNodes } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { Profile, ThreadProfile } from '../../model/profile/profile.js';
import { noInferences, type Quality, type TraceGap } from '../../model/profile/profile.js';
import { SymbolKind } from '../../model/symbol-table.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';
import { renderJson } from '../../profile-file/write.js';
import { changeStyle, patternMarkup } from '../../render/diff/wording.js';
import type { LegendEntry } from '../../render/frames/captions.js';
import { recordingFileName } from '../../render/frames/captions.js';
import {
  type Drawing,
  type Highlight,
  pictureClass,
  ROW_PX,
  rectangles,
  texturePatterns,
} from '../../render/frames/drawing.js';
import { type Colour, SCALE_COLOURS } from '../../render/frames/palette.js';
import type { ProfileHeader } from '../../render/quality-summary.js';
import { HEAD, headOf } from '../../render/svg/head.js';
import { styleSheet } from '../../render/svg/style.js';
import { boxMarkup, texturesAndLabels, xml, xmlSource } from '../../render/svg/xml.js';
import type { PageData, PageThread } from '../data/page-data.js';
import { callerRows } from '../data/page-data.js';
import { tracedHint, widthName } from '../view/captions/details.js';
import { legendEntries } from '../view/captions/legend.js';
import { chipsOf } from '../view/captions/misfits.js';
import { momentText } from '../view/captions/time.js';
import { MEASURES } from '../view/comparison.js';
import type { State } from '../view/state.js';
import type { Views } from '../view/views.js';
import { foldedText } from './graph/frame-actions.js';
import type { MainGraph } from './graph/main-graph.js';
import { announce, copyText, saveText } from './platform/save.js';

/** What a saved file is about: the time range that is shown, or all of the recording. */
interface Part {
  readonly data: PageData;
  /** Of the file, without an ending. */
  readonly name: string;
}

function partAt(views: Views, state: State): Part {
  const range = views.rangeAt(state);
  const name = recordingFileName(views.data);
  if (views.blocked !== null && views.isBlockedAt(state))
    return { data: withoutIdleThreads(views.blocked), name: `${name}-blocked` };
  if (range === null) return { data: views.data, name };
  return { data: partOfRange(views.dataAt(state), range), name: name + rangeFileName(range) };
}

/** As in a profile of blocked time, which has the threads that waited. */
function withoutIdleThreads(data: PageData): PageData {
  return { ...data, threads: data.threads.filter(({ node }) => node.length > 1) };
}

/** What the page saves. */
export type Saved = 'svg' | 'json' | 'csv' | 'folded' | 'link';

/** Saves what is in view. */
export function saveAs(what: Saved, main: MainGraph, views: Views, state: State): void {
  const { name } = partAt(views, state);
  switch (what) {
    case 'svg':
      return saveView(main, views, state);
    case 'json':
      return saveProfile(views, state);
    case 'folded':
      return saveText(`${name}.folded`, 'text/plain', [
        foldedText(views.comparedAt(state)?.after ?? main.table, views.libraries.symbols, ROOT),
      ]);
    case 'csv':
      return saveText(`${name}.csv`, 'text/csv', functionsCsv(views, state));
    case 'link':
      void copyText(location.href).then(() => announce(`link copied${whatElse(views)}`));
  }
}

/** What else is to be passed on with a link. */
function whatElse({ dropped }: Views): string {
  if (dropped !== null) return '; it opens this page without the recording: pass on Recording › Report page (HTML)';
  return location.protocol === 'file:' ? '; send this file, too' : '';
}

/** Writes the functions in view, as the table lists them, in nanoseconds. */
function* functionsCsv(views: Views, state: State): Generator<string> {
  const compared = views.sidesAt(state) !== null;
  const measures = compared ? MEASURES.flatMap((measure) => [`${measure} before`, `${measure} after`]) : [];
  yield `${['function,library,total,self,calls,inferred,average,min,max', ...measures].join(',')}\n`;
  for (const { sums, compared } of views.functionsAt(state).rows) {
    const { symbol, totalNs, selfNs, calls, inferred, avgNs, minNs, maxNs } = sums;
    const both =
      compared === undefined
        ? []
        : MEASURES.flatMap((measure) => [compared.of[measure].before, compared.of[measure].after]);
    const numbers = [totalNs, selfNs, calls, inferred, avgNs, minNs, maxNs, ...both].map((value) =>
      Number.isFinite(value) ? value : '',
    );
    yield `${[csvText(views.names[symbol] as string), csvText(views.fileOf(symbol)), ...numbers].join(',')}\n`;
  }
}

/** Quotes as RFC 4180 has it; a formula of a spreadsheet stays text. */
function csvText(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function saveProfile(views: Views, state: State): void {
  const { data, name } = partAt(views, state);
  const profile = profileOf(data);
  const saved = views.rangeAt(state) === null ? profile : withoutEmptyPaths(profile);
  saveText(`${name}.json`, 'application/json', renderJson(saved));
}

/** Of the call paths of the recording, a range has some. */
function withoutEmptyPaths(profile: Profile): Profile {
  const threads = profile.threads.map((thread) => ({ ...thread, tree: withoutEmptyNodes(thread.tree) }));
  return { ...profile, threads };
}

function saveView({ graph, table, painter, container }: MainGraph, views: Views, state: State): void {
  const { drawing } = graph;
  const { data, name } = partAt(views, state);
  const caption = {
    profile: data,
    title: document.title,
    shown: shownText(views, state),
    legend: legendEntries(table, drawing.boxes, painter),
  };
  const svg = svgText(drawing, (box) => graph.highlightOf(box), caption, container.clientWidth);
  saveText(`${name}.svg`, 'image/svg+xml', svg);
}

/** Describes which part of the recording a view shows. */
function shownText(views: Views, state: State): string {
  const width = views.widthOf(state);
  const { hasSwitches, data } = views;
  return [
    widthName(width, views),
    ...(width === 'cpu' && !hasSwitches ? [tracedHint(data.meta)] : []),
    ...chipsOf(views, state).map(({ text }) => text),
    ...(state.search === '' ? [] : [`search: ${state.search}`]),
  ].join(' · ');
}

/**
 * Rebuilds the profile that the page data was written from.
 *
 * Unused symbols are missing and nodes are reordered, but the profile file has the same bytes.
 */
export function profileOf({ meta, symbols, quality, shape, threads }: PageData): Profile {
  const nodes = threads.map(({ node }) => node);
  const parents = callerRows(shape, nodes);
  return {
    meta,
    symbols,
    quality,
    threads: threads.map((thread, row) => threadOf(thread, shape, parents[row])),
    together: null,
    durations: null,
  };
}

function threadOf(thread: PageThread, shape: Shape, parent: Int32Array): ThreadProfile {
  const { tid, pid, comm, startNs, endNs, hiddenNs, durations, resumptions, node, ...columns } = thread;
  const symbol = node.map((inShape) => shape.symbol[inShape]);
  return {
    tid,
    pid,
    comm,
    startNs,
    endNs,
    hiddenNs,
    durations,
    ...(resumptions && { resumptions }),
    tree: { length: node.length, parent, symbol, ...columns },
  };
}

const MARGIN_PX = HEAD.marginPx;

/**
 * Writes the view as a standalone SVG.
 *
 * What the head above the frames shows.
 */
interface SvgCaption {
  readonly profile: ProfileHeader;
  readonly title: string;
  /** Describes the part of the recording that is shown. */
  readonly shown: string;
  readonly legend: readonly LegendEntry[];
}

function* svgText(
  drawing: Drawing,
  lookOf: (box: number) => Highlight,
  { profile, title, shown, legend }: SvgCaption,
  widthPx: number,
): Generator<string> {
  const drawn = [...rectangles(drawing)];
  const fullPx = widthPx + 2 * MARGIN_PX;
  const total = drawing.table.total[ROOT] as number;
  const head = headOf(profile, { title, legend, total, widthPx: fullPx, shown, isStatic: true });
  const heightPx = head.heightPx + drawing.rowCount * ROW_PX + MARGIN_PX;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${fullPx}" height="${heightPx}" viewBox="0 0 ${fullPx} ${heightPx}">\n`;
  yield `<title>${xml(`${title} · ${shown}`)}</title>\n<style>${xmlSource(`${styleSheet()}\n${scaleRules()}\n${changeStyle()}`)}</style>\n`;
  yield `${texturePatterns()}${patternMarkup()}\n`;
  yield `<rect class="page" width="100%" height="100%"/>\n`;
  yield head.markup;
  yield `<g transform="translate(${MARGIN_PX} ${head.heightPx})">\n`;
  for (const rectangle of drawn) yield boxMarkup(drawing, rectangle, pictureClass(rectangle, lookOf(rectangle.box)));
  yield* texturesAndLabels(drawn);
  yield '</svg>\n';
}

function scaleRules(): string {
  const colours = Object.entries(SCALE_COLOURS);
  const rules = (scheme: keyof Colour) => colours.map(([name, colour]) => `.${name}{fill:${colour[scheme]}}`).join('');
  return `${rules('light')}@media screen and (prefers-color-scheme:dark){${rules('dark')}}`;
}

/** Returns ["1.20 ms", "3.40 ms"]. */
function endsOf({ startNs, endNs }: Bounds): readonly [from: string, to: string] {
  const text = (ns: Nanoseconds) => momentText(ns, (endNs - startNs) / 100, endNs);
  return [text(startNs), text(endNs)];
}

/**
 * Describes a time range as a recording of its own, for files that are saved from it: its name, and what of it is lost or
 * inferred.
 *
 * Returns the end of a file name: "-1.20ms-to-3.40ms".
 */
function rangeFileName(range: Bounds): string {
  const [from, to] = endsOf(range).map((text) => text.replace(' ', '').replace('µ', 'u'));
  return `-${from}-to-${to}`;
}

/**
 * Returns the data of a range with the name and the quality of this part, like those of a window. What is not known by time:
 * why calls are inferred (all count as open at the start), which inferred time is around hidden jumps, and gaps beyond the
 * 10,000 longest. `data`: of the range (`RangeData`); threads that were not observed in it are left out.
 */
export function partOfRange(data: PageData, range: Bounds): PageData {
  const { meta, quality } = data;
  const { inferredBy: _, ...rest } = quality; // by reason, it is not known by time
  const [from, to] = endsOf(range);
  const part = `${meta.part === null ? '' : `${meta.part}, of that `}from +${from} to +${to}`;
  const threads = data.threads.filter(
    ({ startNs, endNs, calls }) => endNs > startNs || calls.some((count) => count > 0),
  );
  const sums = sumsOf(data);
  const losses = lossesIn(quality.gaps, meta);
  const lostNs = losses.gaps.reduce((sum, { lengthNs }) => sum + lengthNs, 0); // of short paths, too
  return {
    ...data,
    meta: { ...meta, part },
    threads: threads.map((thread) => ({ ...thread, hiddenNs: 0 })),
    quality: { ...rest, ...sums, ...losses, lostNs: Math.max(sums.lostNs, lostNs) },
  };
}

function lossesIn(gaps: readonly TraceGap[], bounds: Bounds): Pick<Quality, 'gaps' | 'losses' | 'threadsCut'> {
  const losses = new LossKinds();
  const within = gaps
    .filter(({ atNs, lengthNs }) => overlaps(bounds, atNs, atNs + lengthNs))
    .map((gap) => {
      const atNs = Math.max(gap.atNs, bounds.startNs);
      return { ...gap, atNs, lengthNs: Math.min(gap.atNs + gap.lengthNs, bounds.endNs) - atNs };
    });
  for (const gap of within) losses.add(gap);
  return { gaps: within, losses: losses.build(), threadsCut: new Set(within.map(({ tid }) => tid)).size };
}

function sumsOf({ threads, shape, symbols }: PageData) {
  const sums = { codeNs: 0, lostNs: 0, inferredNs: 0, hiddenNs: 0, unknownNs: 0, totalNs: 0 };
  const inferredCalls = noInferences();
  for (const { node, selfNs, inferredNs, inferredCalls: calls } of threads)
    for (let row = 0; row < node.length; row++) {
      const symbol = shape.symbol[node[row]];
      sums.totalNs += selfNs[row];
      sums.inferredNs += inferredNs[row];
      if (!isStop(symbol)) inferredCalls.OpenAtStart += calls[row];
      if (isLost(symbol)) sums.lostNs += selfNs[row];
      if (symbols.kind[symbol] !== SymbolKind.Synthetic) sums.codeNs += selfNs[row];
      if (symbols.kind[symbol] === SymbolKind.Unknown) sums.unknownNs += selfNs[row];
    }
  return { ...sums, inferredCalls };
}
