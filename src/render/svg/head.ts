/**
 * What stands above the frames: title, what was recorded, how far to trust it, and what the colours mean.
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
  /** Of all frames: what a trace without times is told by. */
  readonly total: number;
  readonly widthPx: number;
  /** What of the recording is shown, in words; empty: all of it. */
  readonly shown?: string;
  /** Nothing is put beside the title. */
  readonly isStatic?: boolean;
}

/** A picture has less room than a terminal. */
const MAX_CAUSES = 4;
const MAX_TITLE_WIDTH = 120;

export function headOf(
  about: ProfileHeader,
  { title, legend, total, widthPx, shown = '', isStatic = false }: HeadOptions,
): Head {
  const { line, damage, caveats, notes } = qualitySummary(about, MAX_CAUSES);
  const warnings = [...damage, ...caveats];
  const roomPx = widthPx - 2 * HEAD.marginPx;
  const said = [shown, ...switchNotes(about, legend), ...notes].filter((note) => note !== '').map(visibleText);
  const noteLines = said.map((note) => wrapped(note, roomPx));
  const above = { warnings: warnings.length, notes: noteLines.flat().length };
  const places = flow(
    legend.map(({ swatch, text }) => entryWidthPx(swatch, text)),
    roomPx,
  );
  const titleRoomPx = roomPx - (isStatic ? 0 : toolbarWidthPx(widthPx));
  const { markup: lines, downPx } = linesMarkup([
    titleLine(truncate(visibleText(title), MAX_TITLE_WIDTH), titleRoomPx),
    quietLine(subtitleOf(about, total), HEAD.subtitlePx, roomPx, originMarkup(about)),
    quietLine(line, HEAD.qualityPx, roomPx),
    ...warnings.map((warning, index) => warningLine(warning, index, roomPx)),
  ]);
  const heightPx = headHeightPx(above, places, false) + downPx;
  const markup = [
    `<g id="head" data-warnings="${warnings.length}">`,
    `<rect class="page" width="${widthPx}" height="${heightPx}"/>`,
    ...lines,
    `<g id="notes" transform="translate(${HEAD.marginPx} ${notesTopPx(above.warnings) + downPx})">`,
    ...said.map((note, at) =>
      noteMarkup(note, noteLines[at] as readonly string[], noteLines.slice(0, at).flat().length),
    ),
    '</g>',
    `<g id="legend" transform="translate(${HEAD.marginPx} ${legendTopPx(above) + downPx})">`,
    ...legend.map((entry, index) => entryMarkup(entry, places[index] as { xPx: number; row: number })),
    '</g>',
    '</g>',
  ];
  return { markup: `${markup.join('\n')}\n`, heightPx };
}

/** Where stops are drawn: without records of switches nobody knows which of their time was spent waiting. */
function switchNotes({ meta }: ProfileHeader, legend: readonly LegendEntry[]): string[] {
  const hasStops = legend.some(({ swatch }) => swatch === 'syscall' || swatch === 'untraced');
  if (meta.hasSwitches !== false || meta.weight === 'calls' || !hasStops) return [];
  return [`[syscall] and [untraced] may be time on the CPU or off it: ${switchesRemedy(meta)}`];
}

/** A script that draws it for another width reads the whole note beside its lines. */
function noteMarkup(note: string, lines: readonly string[], above: number): string {
  const spans = lines.map(
    (line, at) => `<tspan x="0" y="${(above + at) * HEAD.rowPx + HEAD.noteBasePx}">${xml(line)}</tspan>`,
  );
  return `<text class="quiet" data-note="${xml(note)}">${spans.join('')}</text>`;
}

/** Shown when the mouse rests on the subtitle. */
function originMarkup({ meta }: ProfileHeader): string {
  const origin = originText(meta);
  return origin === '' ? '' : `<title>${xml(origin)}</title>`;
}

function entryWidthPx(swatch: string, text: string): number {
  return sansWidthPx(text) + textXPx(swatch);
}

/** Behind its swatch, if it has one. */
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
