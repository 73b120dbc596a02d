/**
 * Defines what the page knows of the call that its snapshot was taken of.
 */
import type { Bounds, Tid } from '../../model/units.js';

/** A call, in whole nanoseconds since the start of the timeline. */
interface MarkedCall extends Bounds {
  readonly tid: Tid;
}

/** A finding that names the call and says when the snapshot was taken. */
export interface PageTrigger {
  readonly kind: 'trigger';
  readonly sentence: readonly { readonly kind: 'text' | 'name' | 'number'; readonly text: string }[];
  /** A button that shows the call; none if its thread was not traced. */
  readonly actions: readonly {
    readonly label: string;
    readonly change: { readonly call: MarkedCall; readonly range: Bounds };
  }[];
  readonly call: MarkedCall;
}
