/**
 * What stands above the frames: title, what was recorded, how far to trust it, and what the colours mean.
 */
import { type Boxes, BoxKind } from '../../layout/layout.js';
import type { Profile } from '../../model/profile.js';
import { formatDuration, formatMany } from '../format.js';
import { qualitySummary } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
import { formatWeight } from './facts.js';
import { FAMILIES, type Family } from './families.js';
import { type FrameTable, familyOfNode, isInferred } from './frame-table.js';
import { flow, HEAD, headHeightPx, legendTopPx, NARROW_PX, sansWidthPx } from './head-shape.js';
import { cutAtEnd } from './labels.js';
import { xml } from './xml.js';

export interface LegendEntry {
  /** Class of the swatch; `hatched` is a pattern on a frame of any colour. */
  readonly swatch: string;
  readonly text: string;
}

const MEANINGS: Readonly<Record<Family, string>> = {
  user: 'functions',
  kernel: 'functions of the kernel',
  group: 'threads',
  unknown: '[unknown]: no symbol',
  syscall: '[syscall]: in the kernel',
  'off-cpu': '[off-cpu]: blocked',
  preempted: '[preempted]: waits for a processor',
  untraced: '[untraced]: other code',
  lost: '[lost]: not recorded',
};

/** Only what occurs; what is hatched and what is merged is always explained where it is. */
export function legendOf(table: FrameTable, boxes: Boxes): LegendEntry[] {
  const families = new Set<Family>();
  let hasInferred = false;
  for (let node = 1; node < table.tree.length; node++) {
    if (table.omitted[node] > 0) continue;
    families.add(familyOfNode(table, node));
    hasInferred ||= isInferred(table, node);
  }
  const hasBlocks = boxes.kind.some((kind) => kind !== BoxKind.Frame);
  return [
    ...FAMILIES.filter((family) => families.has(family)).map((family) => entryOf(family)),
    ...(hasInferred ? [{ swatch: 'hatched', text: 'hatched: start or end not seen' }] : []),
    ...(hasBlocks ? [{ swatch: 'block', text: 'several frames together' }] : []),
  ];
}

function entryOf(family: Family): LegendEntry {
  const swatch = family === 'user' ? 'u3' : family === 'kernel' ? 'k0' : family;
  return { swatch, text: MEANINGS[family] };
}

const MOST_HOST_COLUMNS = 24;
const MOST_COMMAND_COLUMNS = 300;
const MOST_PART_COLUMNS = 80;

/** "39.4 ms recorded · 4 threads · 157 ms of their time". */
function subtitleOf({ meta, threads, quality }: Profile, table: FrameTable): string {
  const count = formatMany(threads.length, 'thread');
  if (meta.weight === 'calls') return `${count} · ${formatWeight(table.total[0], 'calls')}, no times`;
  const span = formatDuration(meta.endNs - meta.startNs);
  const where = meta.recorded?.host ? ` on ${cutAtEnd(visibleText(meta.recorded.host), MOST_HOST_COLUMNS)}` : '';
  const time = `${formatDuration(quality.totalNs)} of wall-clock time`;
  if (meta.part === null) return `${span} recorded${where} · ${count} · ${time} in all`;
  return `only ${cutAtEnd(visibleText(meta.part), MOST_PART_COLUMNS)} · ${span}${where} · ${count} · ${time}`;
}

/** All that is known of where the trace comes from, shown when the mouse rests on the subtitle. */
function originOf({ meta: { recorded } }: Profile): string {
  if (recorded === null) return '';
  const { host, startedAt, cpu, kernel, perf, command } = recorded;
  const facts = [
    ['recorded on', host],
    ['at', startedAt],
    ['CPU', cpu],
    ['kernel', kernel],
    ['perf', perf],
    ['by', command && cutAtEnd(command.join(' '), MOST_COMMAND_COLUMNS)],
  ];
  const lines = facts.filter(([, fact]) => fact).map((words) => visibleText(words.join(' ')));
  return lines.length === 0 ? '' : `<title>${xml(lines.join(' · '))}</title>`;
}

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
    `<text class="quiet" x="${HEAD.marginPx}" y="${HEAD.subtitlePx}">${xml(subtitleOf(profile, table))}${originOf(profile)}</text>`,
    `<text class="quiet" x="${HEAD.marginPx}" y="${HEAD.qualityPx}">${xml(line)}</text>`,
    ...warnings.map(warningMarkup),
    `<g id="legend" transform="translate(${HEAD.marginPx} ${top})">`,
    ...legend.map((entry, index) => entryMarkup(entry, places[index] as { xPx: number; row: number })),
    '</g>',
    '</g>',
  ];
  return { markup: `${markup.join('\n')}\n`, heightPx };
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
