/**
 * What stands above the frames: title, what was recorded, how far to trust it, and what the colours mean.
 */
import type { Boxes } from '../../layout/layout.js';
import type { Profile } from '../../model/profile.js';
import { type LegendEntry, legendOf, originText, subtitleOf } from '../frames/about.js';
import type { FrameTable } from '../frames/frame-table.js';
import { cutAtEnd } from '../frames/labels.js';
import { qualitySummary } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
import { flow, HEAD, headHeightPx, legendTopPx, NARROW_PX, sansWidthPx } from './head-shape.js';
import { xml } from './xml.js';

export interface Head {
  readonly markup: string;
  readonly heightPx: number;
}

export function headOf(profile: Profile, table: FrameTable, boxes: Boxes, title: string, widthPx: number): Head {
  const { line, damage, doubts } = qualitySummary(profile);
  const warnings = [...damage, ...doubts];
  const legend = legendOf(table, boxes);
  const top = legendTopPx(warnings.length);
  const places = flow(
    legend.map(({ text }) => entryWidthPx(text)),
    widthPx - 2 * HEAD.marginPx,
  );
  const heightPx = headHeightPx(warnings.length, places, false);
  const toolbarPx = widthPx < NARROW_PX ? 0 : HEAD.toolbarPx;
  const titleColumns = Math.floor((widthPx - 2 * HEAD.marginPx - toolbarPx) / HEAD.titleCharacterPx);
  const markup = [
    `<g id="head" data-warnings="${warnings.length}">`,
    `<rect class="page" width="${widthPx}" height="${heightPx}"/>`,
    `<text id="title" x="${HEAD.marginPx}" y="${HEAD.titlePx}">${xml(cutAtEnd(visibleText(title), titleColumns))}</text>`,
    `<text class="quiet" x="${HEAD.marginPx}" y="${HEAD.subtitlePx}">${xml(subtitleOf(profile, table.total[0]))}${originMarkup(profile)}</text>`,
    `<text class="quiet" x="${HEAD.marginPx}" y="${HEAD.qualityPx}">${xml(line)}</text>`,
    ...warnings.map(warningMarkup),
    `<g id="legend" transform="translate(${HEAD.marginPx} ${top})">`,
    ...legend.map((entry, index) => entryMarkup(entry, places[index] as { xPx: number; row: number })),
    '</g>',
    '</g>',
  ];
  return { markup: `${markup.join('\n')}\n`, heightPx };
}

/** Shown when the mouse rests on the subtitle. */
function originMarkup(profile: Profile): string {
  const origin = originText(profile.meta);
  return origin === '' ? '' : `<title>${xml(origin)}</title>`;
}

function warningMarkup(warning: string, index: number): string {
  const yPx = HEAD.warningsPx + index * HEAD.warningRowPx;
  const text = `⚠ ${warning}`;
  const widthPx = sansWidthPx(text) + 16;
  return `<g class="warning"><rect x="${HEAD.marginPx}" y="${yPx}" width="${widthPx}" height="20" rx="5"/><text x="${HEAD.marginPx + 8}" y="${yPx + 14}">${xml(text)}</text></g>`;
}

function entryWidthPx(text: string): number {
  return sansWidthPx(text) + HEAD.swatchPx + 6;
}

function entryMarkup({ swatch, text }: LegendEntry, { xPx, row }: { xPx: number; row: number }): string {
  const box = `width="${HEAD.swatchPx}" height="${HEAD.swatchPx}" rx="2"`;
  const sample =
    swatch === 'hatched'
      ? `<rect class="group" ${box}/><rect fill="url(#hatch)" ${box}/>`
      : `<rect class="${swatch}" ${box}/>`;
  return `<g transform="translate(${xPx} ${row * HEAD.legendRowPx})">${sample}<text class="quiet" x="${HEAD.swatchPx + 6}" y="11">${xml(text)}</text></g>`;
}
