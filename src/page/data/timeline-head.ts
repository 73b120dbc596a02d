/**
 * The head of the timeline of a page: all but its columns, as JSON.
 */
import type { Timeline, Wakings } from '../../model/profile/timeline.js';
import type { Tid } from '../../model/units.js';

export interface TimelineHead extends Omit<Timeline, 'threads' | 'wakings'> {
  readonly threads: readonly {
    readonly tid: Tid;
    readonly slices: number;
    /** Numbers of rows, as those below. */
    readonly sums: { readonly rows: number; readonly calls: number; readonly times: number } | null;
    readonly levels: readonly number[];
    readonly split: number;
  }[];
  /** `rows`: their number. */
  readonly wakings: (Omit<Wakings, 'rows'> & { readonly rows: number }) | null;
}
