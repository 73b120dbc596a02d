/**
 * Builds the legend of a view.
 */

import { NONE } from '../../../model/units.js';
import { formatCount, formatDifference, formatPercentChange } from '../../../render/format.js';
import { type LegendEntry, legendOf, MEANINGS } from '../../../render/frames/captions.js';
import { CHANGE_SIGNS } from '../../../render/frames/colours.js';
import { texturesOf, type Wording } from '../../../render/frames/drawing.js';
import { type FrameDetail, formatWeight, labelOf } from '../../../render/frames/frame-details.js';
import type { FrameTable } from '../../../render/frames/frame-table.js';
import { type Boxes, BoxKind } from '../../../render/layout.js';
import type { ComparedTable, Painter } from '../colouring.js';
import { differenceOf } from '../colouring.js';

const SHORT_MEANINGS: typeof MEANINGS = {
  ...MEANINGS,
  syscall: 'system call',
  'off-cpu': 'off CPU',
  preempted: 'preempted',
  untraced: 'untraced',
  lost: 'lost',
};

export function legendEntries(
  table: FrameTable,
  boxes: Boxes,
  { showsLibraries, steps, others, note, compared }: Omit<Painter, 'classOf'>,
): LegendEntry[] {
  const entries = legendOf(table, boxes, { showsLibraries, meanings: SHORT_MEANINGS });
  const kinds = entries.filter(({ swatch }) => swatch === 'hatched' || swatch === 'block');
  if (compared !== null) return [...legendOfDifferences(compared, table.weight), ...kinds];
  if (steps === null) return entries;
  return [
    ...steps.map((text, step) => ({ swatch: `s${step}`, text: step === 0 ? text : `${text}+` })),
    { swatch: 'group', text: others },
    ...kinds,
    ...(note === '' ? [] : [{ swatch: '', text: note }]),
  ];
}

/**
 * Labels and describes frames by how they differ from those of other threads.
 *
 * Returns "▲ take · +12 µs · +40 %".
 */
export function wordingOfDifferences(compared: ComparedTable): Wording {
  let wording = WORDINGS.get(compared);
  if (wording === undefined) WORDINGS.set(compared, (wording = newWording(compared)));
  return wording;
}

/** The same object each time: another one draws the graph again. */
const WORDINGS = new WeakMap<ComparedTable, Wording>();

function newWording({ there }: ComparedTable): Wording {
  const label = (table: FrameTable, boxes: Boxes, box: number) => {
    const { name, numbers } = labelOf(table, boxes, box);
    if (boxes.kind[box] !== BoxKind.Frame) return { name, numbers };
    const node = boxes.node[box];
    const here = table.total[node];
    const sign = CHANGE_SIGNS[differenceOf(here, there[node])];
    return { name: `${sign} ${name}`, numbers: differenceTexts(here, there[node], table.weight) };
  };
  return { labelOf: label, texturesOf };
}

/** Returns the row of a tooltip: what a box weighs in the other threads. */
export function comparedDetail(
  { name, there }: ComparedTable,
  { weight, nextSibling }: FrameTable,
  { node, lastNode, total }: Boxes,
  box: number,
): FrameDetail {
  let other = 0;
  for (let at = node[box]; at !== NONE; at = at === lastNode[box] ? NONE : nextSibling[at]) other += there[at];
  const note = other === 0 ? 'only here' : ['here', ...differenceTexts(total[box], other, weight)].join(' ');
  return { label: name, value: formatWeight(other, weight), note };
}

function differenceTexts(here: number, there: number, weight: FrameTable['weight']): string[] {
  if (here === there) return [];
  const percent = there > 0 ? [formatPercentChange(there, here)] : [];
  return [differenceText(here - there, weight), ...percent];
}

/** Returns "+12 µs" or "−3". */
export function differenceText(difference: number, weight: FrameTable['weight']): string {
  if (weight === 'ns') return formatDifference(difference);
  return `${difference > 0 ? '+' : difference < 0 ? '−' : ''}${formatCount(Math.abs(difference))}`;
}

/** `weight`: of the graph. */
function legendOfDifferences({ name, onlyThere }: ComparedTable, weight: FrameTable['weight']): LegendEntry[] {
  return [
    { swatch: 'more3', text: `▲ more than in ${name}, over 2×; ✚ only here` },
    { swatch: 'more2', text: 'up to 2×' },
    { swatch: 'more1', text: 'up to 1.1×' },
    { swatch: 'same', text: '= the same' },
    { swatch: 'less1', text: '▼ less, down to 1/1.1' },
    { swatch: 'less2', text: 'down to 1/2' },
    { swatch: 'less3', text: 'below 1/2' },
    ...(onlyThere > 0 ? [{ swatch: '', text: `not drawn, only there: ${formatWeight(onlyThere, weight)}` }] : []),
  ];
}
