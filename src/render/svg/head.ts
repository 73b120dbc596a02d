/**
 * Writes the head above the frames: title, recording, quality, warnings, notes and legend.
 */
import { switchesRemedy } from '../../model/profile/profile.js';
import { type LegendEntry, originText, subtitleOf } from '../frames/captions.js';
import { truncate } from '../frames/labels.js';
import { type ProfileHeader, qualitySummary } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
import {
  flow,
  HEAD,
  headHeightPx,
  legendTopPx,
  linePx,
  notesTopPx,
  sansWidthPx,
  toolbarWidthPx,
  WARNING_PADDING_PX,
  wrapped,
} from './head-shape.js';
import { xml } from './xml.js';

export interface Head {
  readonly markup: string;
  readonly heightPx: number;
}

export interface HeadOptions {
  readonly title: string;
  readonly legend: readonly LegendEntry[];
  /** Weight of all frames, shown for traces without times. */
  readonly total: number;
  readonly widthPx: number;
  /** Describes the part of the recording that is shown; empty: all of it. */
  readonly shown?: string;
  /** No script: no toolbar next to the title. */
  readonly isStatic?: boolean;
}

/** A picture has less space than a terminal. */
const MAX_CAUSES = 4;
const MAX_TITLE_WIDTH = 120;

export function headOf(profile: ProfileHeader, { total, shown = '', ...options }: HeadOptions): Head {
  const { line, notes, ...quality } = qualitySummary(profile, MAX_CAUSES);
  return textHead(
    {
      lines: [subtitleOf(profile, total), line],
      hint: originMarkup(profile),
      warnings: [...quality.damage, ...quality.warnings],
      notes: [shown, ...switchNotes(profile, options.legend), ...notes].filter((note) => note !== ''),
    },
    options,
  );
}

export interface HeadTexts {
  /** Below the title. */
  readonly lines: readonly [subtitle: string, quality: string];
  /** Markup of the subtitle's title element. */
  readonly hint: string;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

export function textHead(
  { lines: [subtitle, quality], hint, warnings, notes }: HeadTexts,
  { title, legend, widthPx, isStatic = false }: Omit<HeadOptions, 'total' | 'shown'>,
): Head {
  const availablePx = widthPx - 2 * HEAD.marginPx;
  const noteTexts = notes.map(visibleText);
  const noteLines = noteTexts.map((note) => wrapped(note, availablePx));
  const above = { warnings: warnings.length, notes: noteLines.flat().length };
  const positions = flow(
    legend.map(({ swatch, text }) => entryWidthPx(swatch, text)),
    availablePx,
  );
  const titleWidthPx = availablePx - (isStatic ? 0 : toolbarWidthPx(widthPx));
  const { markup: lines, downPx } = linesMarkup([
    titleLine(truncate(visibleText(title), MAX_TITLE_WIDTH), titleWidthPx),
    quietLine(subtitle, HEAD.subtitlePx, availablePx, hint),
    quietLine(quality, HEAD.qualityPx, availablePx),
    ...warnings.map((warning, index) => warningLine(visibleText(warning), index, availablePx)),
  ]);
  const heightPx = headHeightPx(above, positions, false) + downPx;
  const markup = [
    `<g id="head" data-warnings="${warnings.length}">`,
    `<rect class="page" width="${widthPx}" height="${heightPx}"/>`,
    ...lines,
    `<g id="notes" transform="translate(${HEAD.marginPx} ${notesTopPx(above.warnings) + downPx})">`,
    ...noteTexts.map((note, at) =>
      noteMarkup(note, noteLines[at] as readonly string[], noteLines.slice(0, at).flat().length),
    ),
    '</g>',
    `<g id="legend" transform="translate(${HEAD.marginPx} ${legendTopPx(above) + downPx})">`,
    ...legend.map((entry, index) => entryMarkup(entry, positions[index] as { xPx: number; row: number })),
    '</g>',
    '</g>',
  ];
  return { markup: `${markup.join('\n')}\n`, heightPx };
}

/** Explains stops: without switch records, it is unknown how much of their time was spent waiting. */
function switchNotes({ meta }: ProfileHeader, legend: readonly LegendEntry[]): string[] {
  const hasStops = legend.some(({ swatch }) => swatch === 'syscall' || swatch === 'untraced');
  if (meta.hasSwitches !== false || meta.weight === 'calls' || !hasStops) return [];
  return [`[syscall] and [untraced] may be on-CPU or off-CPU time: ${switchesRemedy(meta)}`];
}

/** Writes a note. It also stores its full text, for the script to wrap it for another width. */
function noteMarkup(note: string, lines: readonly string[], above: number): string {
  const spans = lines.map(
    (line, at) => `<tspan x="0" y="${(above + at) * HEAD.rowPx + HEAD.noteBasePx}">${xml(line)}</tspan>`,
  );
  return `<text class="quiet" data-note="${xml(note)}">${spans.join('')}</text>`;
}

/** Writes the tooltip of the subtitle. */
function originMarkup({ meta }: ProfileHeader): string {
  const origin = originText(meta);
  return origin === '' ? '' : `<title>${xml(origin)}</title>`;
}

function entryWidthPx(swatch: string, text: string): number {
  return sansWidthPx(text) + textXPx(swatch);
}

/** Returns the start of the text, after the swatch if there is one. */
function textXPx(swatch: string): number {
  return swatch === '' ? 0 : HEAD.swatchPx + 6;
}

function entryMarkup({ swatch, text }: LegendEntry, { xPx, row }: { xPx: number; row: number }): string {
  const box = `width="${HEAD.swatchPx}" height="${HEAD.swatchPx}" rx="2"`;
  const sample =
    swatch === 'hatched'
      ? `<rect class="group" ${box}/><rect fill="url(#hatch)" ${box}/>`
      : swatch === ''
        ? ''
        : `<rect class="${swatch}" ${box}/>`;
  return `<g transform="translate(${xPx} ${row * HEAD.legendRowPx})">${sample}<text class="quiet" x="${textXPx(swatch)}" y="11">${xml(text)}</text></g>`;
}

/**
 * Wraps the texts above the frames into lines; each extra line moves the texts below down.
 *
 * A text above the frames, wrapped into lines.
 */
interface HeadLine {
  readonly lines: readonly string[];
  readonly sizePx: number;
  /** `downPx`: height of the extra lines above it. */
  readonly markup: (downPx: number) => string;
}

function titleLine(title: string, availablePx: number): HeadLine {
  const sizePx = HEAD.titleSizePx;
  const lines = fitted(title, availablePx, sizePx);
  const position = { xPx: HEAD.marginPx, yPx: HEAD.titlePx };
  return {
    lines,
    sizePx,
    markup: (downPx) => textMarkup(' id="title"', title, lines, { ...position, downPx, sizePx }),
  };
}

/** `hint`: markup of a title element. */
function quietLine(text: string, yPx: number, availablePx: number, hint = ''): HeadLine {
  const sizePx = HEAD.textSizePx;
  const lines = fitted(text, availablePx);
  const position = { xPx: HEAD.marginPx, yPx, sizePx };
  return {
    lines,
    sizePx,
    markup: (downPx) => textMarkup(' class="quiet"', text, lines, { ...position, downPx }, hint),
  };
}

function warningLine(warning: string, index: number, availablePx: number): HeadLine {
  const sizePx = HEAD.textSizePx;
  const text = `⚠ ${warning}`;
  const lines = fitted(text, availablePx - 2 * WARNING_PADDING_PX);
  const yPx = HEAD.warningsPx + index * HEAD.warningRowPx;
  const widthPx = Math.max(...lines.map((part) => sansWidthPx(part))) + 2 * WARNING_PADDING_PX;
  const heightPx = 20 + (lines.length - 1) * linePx(sizePx);
  const box = `<rect x="${HEAD.marginPx}" y="${yPx}" width="${widthPx}" height="${heightPx}" rx="5"/>`;
  const position = { xPx: HEAD.marginPx + WARNING_PADDING_PX, yPx: yPx + 14, sizePx, downPx: 0 };
  const words = textMarkup('', text, lines, position);
  return { lines, sizePx, markup: (downPx) => `<g class="warning"${translation(downPx)}>${box}${words}</g>` };
}

function linesMarkup(lines: readonly HeadLine[]) {
  let downPx = 0;
  const markup = lines.map((line) => {
    const text = line.markup(downPx);
    downPx += (line.lines.length - 1) * linePx(line.sizePx);
    return text;
  });
  return { markup, downPx };
}

/** Wraps a text unless it fits into one line. */
function fitted(text: string, availablePx: number, sizePx: number = HEAD.textSizePx): readonly string[] {
  const isOne = (sansWidthPx(text) * sizePx) / HEAD.textSizePx <= availablePx;
  return isOne ? [text] : wrapped(text, availablePx, sizePx);
}

interface TextPosition {
  readonly xPx: number;
  readonly yPx: number;
  readonly downPx: number;
  readonly sizePx: number;
}

/** Writes a text element. Wrapped text also stores its full text, for the script to wrap it for another width. */
function textMarkup(
  attributes: string,
  text: string,
  lines: readonly string[],
  { xPx, yPx, downPx, sizePx }: TextPosition,
  hint = '',
): string {
  const start = `<text${attributes} x="${xPx}" y="${yPx}"${translation(downPx)}`;
  if (lines.length === 1) return `${start}>${xml(text)}${hint}</text>`;
  const spans = lines.map((line, at) => `<tspan x="${xPx}" dy="${at === 0 ? 0 : linePx(sizePx)}">${xml(line)}</tspan>`);
  return `${start} data-text="${xml(text)}">${spans.join('')}${hint}</text>`;
}

function translation(downPx: number): string {
  return downPx === 0 ? '' : ` transform="translate(0 ${downPx})"`;
}
