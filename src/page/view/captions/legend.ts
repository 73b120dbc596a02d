/**
 * Builds the legend of a view.
 */

import { type LegendEntry, legendOf, MEANINGS } from '../../../render/frames/captions.js';
import type { FrameTable } from '../../../render/frames/frame-table.js';
import type { Boxes } from '../../../render/layout.js';
import type { Painter } from '../colouring.js';

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
  { classOf, showsLibraries, steps, others, note, showsChanges }: Painter,
): LegendEntry[] {
  const entries = legendOf(table, boxes, { showsLibraries, meanings: SHORT_MEANINGS, isLargestFirst: true });
  if (showsChanges) return legendOfChanges(boxes, classOf);
  const kinds = entries.filter(({ swatch }) => swatch === 'hatched' || swatch === 'block');
  if (steps === null) return entries;
  return [
    ...steps.map((text, step) => ({ swatch: `s${step}`, text: step === 0 ? text : `${text}+` })),
    { swatch: 'group', text: others },
    ...kinds,
    ...(note === '' ? [] : [{ swatch: '', text: note }]),
  ];
}

/** The kinds of change; of the sizes, the legend names the largest. */
const CHANGES: Readonly<Record<string, string>> = {
  more: '▲ more',
  less: '▼ less',
  new: '✚ new',
  gone: '✕ gone',
  noise: '≈ within noise',
  same: '= the same',
};
const SIZES = 'the darker, the more it changed: up to 1.1×, up to 2×, over 2×';

/** Returns an entry for each kind of change that is drawn. */
function legendOfChanges({ node, widthPx, length }: Boxes, classOf: Painter['classOf']): LegendEntry[] {
  const drawn = new Set<string>();
  for (let box = 0; box < length; box++)
    if ((widthPx[box] as number) > 0) drawn.add(classOf(node[box] as number).replace(/\d$/, ''));
  return Object.entries(CHANGES)
    .filter(([change]) => drawn.has(change))
    .map(([change, text]) =>
      change === 'more' || change === 'less' ? { swatch: `${change}3`, text, title: SIZES } : { swatch: change, text },
    );
}
