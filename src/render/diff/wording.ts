/**
 * Labels and describes the frames of a comparison.
 */

import { NONE, type NodeId } from '../../model/units.js';
import { formatAverageCount, formatDifference, formatDuration, formatPercentChange, formatShare } from '../format.js';
import { CHANGE_SIGNS, type Change } from '../frames/colours.js';
import type { Paint, Wording } from '../frames/drawing.js';
import { type FrameDetail, type FrameDetails, isBlock, labelOf } from '../frames/frame-details.js';
import { type FrameTable, nameOf } from '../frames/frame-table.js';
import type { Label } from '../frames/labels.js';
import { CHANGE_COLOURS, type Colour, TOKENS } from '../frames/palette.js';
import type { Boxes } from '../layout.js';
import { isolated } from '../visible-text.js';
import { averageAt, averageNoise, changeOf, type DiffPaths, levelOf, RECORDINGS, totalNoise } from './paths.js';

/** Returns a CSS class by the direction and size of a change. */
export function paintByChange(paths: DiffPaths): Paint {
  return (node) => {
    const change = changeOf(paths, node);
    return change === 'more' || change === 'less' ? `${change}${levelOf(paths, node)}` : change;
  };
}

export function wordingOf(paths: DiffPaths): Wording {
  return {
    labelOf: (table, boxes, box) => labelAt(paths, table, boxes, box),
    texturesOf: () => [], // they are in the colours: `patternMarkup`
  };
}

function labelAt(paths: DiffPaths, table: FrameTable, boxes: Boxes, box: number): Label {
  if (isBlock(table, boxes, box)) return { name: labelOf(table, boxes, box).name, numbers: [] };
  const node = boxes.node[box] as number;
  const { before, after } = timesAt(paths, node, node, table);
  const change = changeOf(paths, node);
  const difference = before === after ? [] : [differenceText(after - before, weightOf(paths))];
  const relative = change === 'new' || change === 'gone' ? [change] : percentText(before, after);
  return { name: `${CHANGE_SIGNS[change]} ${nameOf(table, node)}`, numbers: [...difference, ...relative] };
}

function percentText(before: number, after: number): string[] {
  return before !== after && before > 0 && after > 0 ? [formatPercentChange(before, after)] : [];
}

/** Returns the rows of a tooltip. */
export function diffDetails(paths: DiffPaths, table: FrameTable, boxes: Boxes, box: number): FrameDetails {
  const [node, last] = [boxes.node[box] as number, boxes.lastNode[box] as number];
  const title = isolated(labelOf(table, boxes, box).name); // a block has no other name
  const times = timesAt(paths, node, last, table);
  if (isBlock(table, boxes, box)) return { title, rows: [timeRow('total', times, Number.NaN, weightOf(paths))] };
  return {
    title,
    rows: [
      { label: '', value: '', note: meaningOf(changeOf(paths, node), paths) },
      timeRow('total', times, totalNoise(paths, node), weightOf(paths)),
      shareRow(paths, times),
      timeRow(
        'self',
        { before: paths.self.before[node] as number, after: paths.self.after[node] as number },
        Number.NaN,
        weightOf(paths),
      ),
      ...callRows(paths, node),
    ],
  };
}

function meaningOf(change: Change, { sides = RECORDINGS, counted }: DiffPaths): string {
  const what = counted?.weight === 'calls' ? 'calls' : 'time';
  const { than } = sides;
  switch (change) {
    case 'same':
      return 'no change';
    case 'noise':
      return 'within noise: its calls vary that much anyway';
    case 'more':
    case 'less':
      return `${change} ${what} than ${than}`;
    case 'new':
      return `new: not on this path ${than}`;
    case 'gone':
      return sides === RECORDINGS ? 'gone: not on this path any more' : `gone: on this path only ${than}`;
  }
}

function weightOf({ counted }: DiffPaths): 'ns' | 'calls' {
  return counted?.weight ?? 'ns';
}

/** Returns "+12 µs" or "−3". */
export function differenceText(difference: number, weight: 'ns' | 'calls'): string {
  if (weight === 'ns') return formatDifference(difference);
  return `${difference > 0 ? '+' : difference < 0 ? '−' : ''}${formatAverageCount(Math.abs(difference))}`;
}

/** Returns "12 µs" or "1.3". */
export function numberText(value: number, weight: 'ns' | 'calls'): string {
  return weight === 'ns' ? formatDuration(value) : formatAverageCount(value);
}

interface Pair {
  readonly before: number;
  readonly after: number;
}

function timesAt({ totals }: DiffPaths, first: NodeId, last: NodeId, { nextSibling }: FrameTable): Pair {
  let [before, after] = [0, 0];
  for (let node = first; node !== NONE; node = node === last ? NONE : (nextSibling[node] as number)) {
    before += totals.before[node] as number;
    after += totals.after[node] as number;
  }
  return { before, after };
}

/** Returns "3 µs → 9 µs", "+6 µs · +200 % · noise ±2 µs". `noise`: NaN if unknown. */
export function timeRow(
  label: string,
  { before, after }: Pair,
  noise: number,
  weight: 'ns' | 'calls' = 'ns',
): FrameDetail {
  const value = `${numberText(before, weight)} → ${numberText(after, weight)}`;
  if (before === after) return { label, value, note: '=' };
  const range = Number.isNaN(noise) ? [] : [`noise ±${formatDuration(noise)}`];
  return {
    label,
    value,
    note: [differenceText(after - before, weight), ...percentText(before, after), ...range].join(' · '),
  };
}

function shareRow({ totals }: DiffPaths, { before, after }: Pair): FrameDetail {
  const [allBefore, allAfter] = [totals.before[0] as number, totals.after[0] as number];
  return { label: 'of all', value: `${formatShare(before, allBefore)} → ${formatShare(after, allAfter)}`, note: '' };
}

function callRows(paths: DiffPaths, node: NodeId): FrameDetail[] {
  const { before, after, scales } = paths;
  const calls = { before: before.calls[node] * scales.before, after: after.calls[node] * scales.after };
  if (calls.before === 0 && calls.after === 0) return [];
  const percent =
    calls.before > 0 && calls.after !== calls.before ? formatPercentChange(calls.before, calls.after) : '';
  const value = `${formatAverageCount(calls.before)} → ${formatAverageCount(calls.after)}`;
  return [
    { label: 'calls', value, note: percent || (calls.before === calls.after ? '=' : '') },
    ...averageRow(paths, node),
  ];
}

function averageRow(paths: DiffPaths, node: NodeId): FrameDetail[] {
  const [before, after] = [averageAt(paths.before, node), averageAt(paths.after, node)];
  if (before === null && after === null) return [];
  if (before !== null && after !== null) return [timeRow('average', { before, after }, averageNoise(paths, node))];
  const text = (ns: number | null) => (ns === null ? '–' : formatDuration(ns));
  return [{ label: 'average', value: `${text(before)} → ${text(after)}`, note: 'of complete calls' }];
}

/** Returns the main numbers in one line, readable without a script. */
export function briefText(paths: DiffPaths, table: FrameTable, boxes: Boxes, box: number): string {
  const { before, after } = timesAt(paths, boxes.node[box] as number, boxes.lastNode[box] as number, table);
  const { name, numbers } = labelAt(paths, table, boxes, box);
  return `${isolated(name)}: ${formatDuration(before)} → ${formatDuration(after)} ${numbers.join(', ')}`.trimEnd();
}

/** Rising strokes for more, dots for less, crosses for what is new, rings for what is gone. */
const TEXTURES: Readonly<Record<string, string>> = {
  noise: '<path d="M0 4h3"/>',
  more1: '<path d="M-1 9L9 -1"/>',
  more2: '<path d="M-1 9L9 -1M-1 5L5 -1M3 9L9 3"/>',
  more3: '<path d="M-1 9L9 -1M-1 5L5 -1M3 9L9 3" stroke-width="1.8"/>',
  new: '<path d="M-1 9L9 -1M-1 -1L9 9" stroke-width="1.4"/>',
  less1: '<circle cx="2" cy="2" r=".9"/>',
  less2: '<circle cx="2" cy="2" r="1"/><circle cx="6" cy="6" r="1"/>',
  less3: '<circle cx="2" cy="2" r="1.4"/><circle cx="6" cy="6" r="1.4"/>',
  gone: '<circle class="ring" cx="4" cy="4" r="2.6"/>',
};

/**
 * Defines how changes look: colour, and a texture for each direction, so that they differ in greyscale and to colour-blind people.
 *
 * A class is a pattern: its colour below its texture.
 */
export function patternMarkup(): string {
  const patterns = Object.keys(CHANGE_COLOURS).map(
    (name) =>
      `<pattern id="fill-${name}" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="flat-${name}" width="8" height="8"/><g class="texture">${TEXTURES[name] ?? ''}</g></pattern>`,
  );
  return `<defs>${patterns.join('')}</defs>`;
}

/** Returns the fill of a class of frames in a page: changes have a texture. */
export function fillOf(className: string): string {
  return className in CHANGE_COLOURS ? `url(#fill-${className})` : `var(--${className})`;
}

/** The colours below the textures of a page. */
export function changeFlats(): string {
  return Object.keys(CHANGE_COLOURS)
    .map((name) => `.flat-${name}{fill:var(--${name})}`)
    .join('');
}

export function changeStyle(): string {
  const flat = (scheme: keyof Colour) =>
    Object.entries(CHANGE_COLOURS)
      .map(([name, colour]) => `.flat-${name}{fill:${colour[scheme]}}`)
      .join('');
  const texture = (scheme: keyof Colour) => `.texture{stroke:${TOKENS.ink[scheme]};fill:${TOKENS.ink[scheme]}}`;
  const fills = Object.keys(CHANGE_COLOURS).map((name) => `.${name}{fill:url(#fill-${name})}`);
  return [
    ...fills,
    '.texture{stroke-opacity:.22;fill-opacity:.26;stroke-width:1}.texture circle:not(.ring){stroke:none}',
    '.texture .ring{fill:none;stroke-width:1.2}',
    flat('light') + texture('light'),
    `@media screen and (prefers-color-scheme:dark){${flat('dark')}${texture('dark')}}`,
  ].join('\n');
}

export const LEGEND: Readonly<Record<string, string>> = {
  more1: '▲ more, up to 1.1×',
  more2: '▲ more, up to 2×',
  more3: '▲ more than 2×',
  new: '✚ new',
  less1: '▼ less, down to 1/1.1',
  less2: '▼ less, down to 1/2',
  less3: '▼ less than 1/2',
  gone: '✕ gone',
  noise: '≈ within noise',
  same: '= no change',
};
