/**
 * Writes the head above the frames: title, recording, quality, warnings, notes and legend.
 */

import { switchesRemedy } from '../../model/profile/profile.js';
import { type LegendEntry, originText, subtitleOf } from '../frames/captions.js';
import { textureOfSwatch } from '../frames/drawing.js';
import { truncate } from '../frames/labels.js';
import { type ProfileHeader, qualitySummary } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
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
  const texture = textureOfSwatch(swatch);
  const lines = texture === null ? '' : `<rect fill="url(#${texture})" ${box}/>`;
  const sample = swatch === '' ? '' : `<rect class="${swatch === 'hatched' ? 'group' : swatch}" ${box}/>${lines}`;
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

/** Computes positions above the frames, in the file and in the browser for another window width. */
export const HEAD = {
  marginPx: 14,
  titlePx: 30,
  titleSizePx: 19,
  subtitlePx: 51,
  qualityPx: 68,
  warningsPx: 78,
  warningRowPx: 24,
  rowPx: 17,
  noteBasePx: 11,
  textSizePx: 12,
  characterPx: 6.8,
  legendRowPx: 19,
  swatchPx: 13,
  legendGapPx: 16,
  toolbarPx: 540,
  toolbarRowPx: 36,
  belowPx: 10,
} as const;

/** Below this width, the toolbar has a row of its own. */
export const NARROW_PX = 960;
/** Below this width, the toolbar has two rows. */
export const NARROWEST_PX = 520;

/** Space left and right of the text of a warning. */
export const WARNING_PADDING_PX = 8;

export interface LegendPosition {
  readonly xPx: number;
  readonly row: number;
}

/** Estimates the width of text at 12 px in the widest of the sans fonts; a browser measures it instead. */
export function sansWidthPx(text: string): number {
  const widths = Array.from(text, (letter) =>
    /[ijlftr[\](){}:;,.'! |-]/.test(letter) ? 4.6 : /[mwMW%⚠]/.test(letter) ? 11 : 7.3,
  );
  return Math.ceil(widths.reduce((sum, widthPx) => sum + widthPx, 0));
}

/** Places items side by side, in as many rows as needed. */
export function flow(widthsPx: readonly number[], availablePx: number): LegendPosition[] {
  let xPx = 0;
  let row = 0;
  return widthsPx.map((widthPx) => {
    if (xPx > 0 && xPx + widthPx > availablePx) {
      xPx = 0;
      row++;
    }
    const position = { xPx, row };
    xPx += widthPx + HEAD.legendGapPx;
    return position;
  });
}

/** Number of rows above the legend. */
interface Rows {
  readonly warnings: number;
  /** Lines of notes. */
  readonly notes: number;
}

export function notesTopPx(warnings: number): number {
  return HEAD.warningsPx + warnings * HEAD.warningRowPx + 4;
}

export function legendTopPx({ warnings, notes }: Rows): number {
  return notesTopPx(warnings) + notes * HEAD.rowPx + (notes > 0 ? 4 : 0);
}

/** Returns the width of the toolbar next to the title; 0 if it has a row of its own. */
export function toolbarWidthPx(widthPx: number): number {
  return widthPx < NARROW_PX ? 0 : HEAD.toolbarPx;
}

/** Returns the line height of a text. */
export function linePx(sizePx: number): number {
  return Math.ceil((HEAD.rowPx * sizePx) / HEAD.textSizePx);
}

/** Wraps a text at words; a word longer than a line is split. */
export function wrapped(text: string, availablePx: number, sizePx: number = HEAD.textSizePx): readonly string[] {
  const more = Math.floor((availablePx * HEAD.textSizePx) / (HEAD.characterPx * sizePx)) - 1;
  return text.match(new RegExp(`\\S.{0,${more}}(?= |$)|\\S.{0,${more}}`, 'gu')) ?? [];
}

export function headHeightPx(above: Rows, legend: readonly LegendPosition[], hasToolbarRow: boolean): number {
  const rows = (legend.at(-1)?.row ?? -1) + 1;
  const toolbarPx = hasToolbarRow ? HEAD.toolbarRowPx : 0;
  return legendTopPx(above) + rows * HEAD.legendRowPx + toolbarPx + HEAD.belowPx;
}
