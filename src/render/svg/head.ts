/**
 * Writes the head above the frames: title, recording, quality, warnings, notes and legend.
 */
import { switchesRemedy } from '../../model/profile/remedies.js';
import { type LegendEntry, originText, subtitleOf } from '../frames/captions.js';
import { truncate } from '../frames/labels.js';
import { type ProfileHeader, qualitySummary } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
import { linesMarkup, quietLine, titleLine, warningLine } from './head-lines.js';
import {
  flow,
  HEAD,
  headHeightPx,
  legendTopPx,
  notesTopPx,
  sansWidthPx,
  toolbarWidthPx,
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
    ...warnings.map((warning, index) => warningLine(warning, index, availablePx)),
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
