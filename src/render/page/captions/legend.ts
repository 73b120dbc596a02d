/**
 * Builds the legend of a view.
 */
import type { Boxes } from '../../../layout/layout.js';
import { type LegendEntry, legendOf } from '../../frames/captions.js';
import type { FrameTable } from '../../frames/frame-table.js';
import type { Painter } from '../view/colouring.js';

export function legendEntries(
  table: FrameTable,
  boxes: Boxes,
  { steps, others, note }: Pick<Painter, 'steps' | 'others' | 'note'>,
): LegendEntry[] {
  const entries = legendOf(table, boxes);
  if (steps === null) return entries;
  return [
    ...steps.map((text, step) => ({ swatch: `s${step}`, text: step === 0 ? text : `${text}+` })),
    { swatch: 'group', text: others },
    ...entries.filter(({ swatch }) => swatch === 'hatched' || swatch === 'block'),
    ...(note === '' ? [] : [{ swatch: '', text: note }]),
  ];
}
