/**
 * What stands above the frames: title, what was recorded, how far to trust it, and what the colours mean.
 */
import { type LegendEntry, originText, subtitleOf } from '../frames/about.js';
import { cutAtEnd } from '../frames/labels.js';
import { type Judged, qualitySummary } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
import { flow, HEAD, headHeightPx, legendTopPx, NARROW_PX, notesTopPx, sansWidthPx, wrapped } from './head-shape.js';
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
  readonly isFinal?: boolean;
}

/** A picture has less room than a terminal. */
const MOST_CAUSES = 4;

export function headOf(
  about: Judged,
  { title, legend, total, widthPx, shown = '', isFinal = false }: HeadOptions,
): Head {
  const { line, damage, doubts, notes } = qualitySummary(about, MOST_CAUSES);
  const warnings = [...damage, ...doubts];
  const roomPx = widthPx - 2 * HEAD.marginPx;
  const said = [shown, ...notes].filter((note) => note !== '').map(visibleText);
  const lines = said.map((note) => wrapped(note, roomPx));
  const above = { warnings: warnings.length, notes: lines.flat().length };
  const places = flow(
    legend.map(({ swatch, text }) => entryWidthPx(swatch, text)),
    roomPx,
  );
  const heightPx = headHeightPx(above, places, false);
  const toolbarPx = isFinal || widthPx < NARROW_PX ? 0 : HEAD.toolbarPx;
  const titleColumns = Math.floor((roomPx - toolbarPx) / HEAD.titleCharacterPx);
  const markup = [
    `<g id="head" data-warnings="${warnings.length}">`,
    `<rect class="page" width="${widthPx}" height="${heightPx}"/>`,
    `<text id="title" x="${HEAD.marginPx}" y="${HEAD.titlePx}">${xml(cutAtEnd(visibleText(title), titleColumns))}</text>`,
    `<text class="quiet" x="${HEAD.marginPx}" y="${HEAD.subtitlePx}">${xml(subtitleOf(about, total))}${originMarkup(about)}</text>`,
    `<text class="quiet" x="${HEAD.marginPx}" y="${HEAD.qualityPx}">${xml(line)}</text>`,
    ...warnings.map(warningMarkup),
    `<g id="notes" transform="translate(${HEAD.marginPx} ${notesTopPx(above.warnings)})">`,
    ...said.map((note, at) => noteMarkup(note, lines[at] as readonly string[], lines.slice(0, at).flat().length)),
    '</g>',
    `<g id="legend" transform="translate(${HEAD.marginPx} ${legendTopPx(above)})">`,
    ...legend.map((entry, index) => entryMarkup(entry, places[index] as { xPx: number; row: number })),
    '</g>',
    '</g>',
  ];
  return { markup: `${markup.join('\n')}\n`, heightPx };
}

/** A script that draws it for another width reads the whole note beside its lines. */
function noteMarkup(note: string, lines: readonly string[], above: number): string {
  const spans = lines.map(
    (line, at) => `<tspan x="0" y="${(above + at) * HEAD.noteRowPx + HEAD.noteBasePx}">${xml(line)}</tspan>`,
  );
  return `<text class="quiet" data-note="${xml(note)}">${spans.join('')}</text>`;
}

/** Shown when the mouse rests on the subtitle. */
function originMarkup({ meta }: Judged): string {
  const origin = originText(meta);
  return origin === '' ? '' : `<title>${xml(origin)}</title>`;
}

function warningMarkup(warning: string, index: number): string {
  const yPx = HEAD.warningsPx + index * HEAD.warningRowPx;
  const text = `⚠ ${warning}`;
  const widthPx = sansWidthPx(text) + 16;
  return `<g class="warning"><rect x="${HEAD.marginPx}" y="${yPx}" width="${widthPx}" height="20" rx="5"/><text x="${HEAD.marginPx + 8}" y="${yPx + 14}">${xml(text)}</text></g>`;
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
