/**
 * Builds the legend of a view.
 */

import { type LegendEntry, legendOf } from '../../../render/frames/captions.js';
import type { FrameTable } from '../../../render/frames/frame-table.js';
import type { Boxes } from '../../../render/layout.js';
import type { Painter } from '../colouring.js';
import { legendOfDifferences } from './changes.js';

export function legendEntries(
  table: FrameTable,
  boxes: Boxes,
  { steps, others, note, compared }: Omit<Painter, 'classOf'>,
): LegendEntry[] {
  const entries = legendOf(table, boxes);
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
