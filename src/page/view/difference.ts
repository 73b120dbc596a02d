/**
 * Says how a frame differs from the same call path in other threads, as a kind and as a colour.
 */
import { type Change, changeLevel } from '../../render/frames/changes.js';
import type { Paint } from '../../render/frames/drawing.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { ComparedTable } from './compare-tables.js';

/** Call paths that only the other threads have are not drawn. */
export type Difference = Extract<Change, 'same' | 'more' | 'less' | 'new'>;

export function differenceOf(here: number, there: number): Difference {
  if (here === there) return 'same';
  return there === 0 ? 'new' : here > there ? 'more' : 'less';
}

/** Returns CSS classes. */
export function paintByDifference({ total }: FrameTable, { there }: ComparedTable): Paint {
  return (node) => {
    const difference = differenceOf(total[node], there[node]);
    if (difference === 'same') return difference;
    return difference === 'new' ? 'more3' : difference + changeLevel(total[node], there[node]);
  };
}
