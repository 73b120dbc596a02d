/**
 * How far down the stack an unwinder went. It looks at one frame after the other, and for each calls the function that reads
 * how that frame is unwound (libgcc: `uw_frame_state_for`). The first function that it calls does so once, for the unwinder
 * itself; the one that looks for where to land does so for the unwinder's caller and for each frame below it, to the landing.
 */
import type { ThreadEvents } from '../../model/thread-events.js';
import { type FunctionId, NONE } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { Pairing } from '../pairing/pairing.js';

/** A trace in which an unwinder is looked at again and again is not real: then no more rows are read than so many times all. */
const MOST_LOOKS = 8;

export class UnwinderSteps {
  private rowsRead = 0;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly pairing: Pairing;

  constructor(events: ThreadEvents, facts: SiteFacts, pairing: Pairing) {
    this.events = events;
    this.facts = facts;
    this.pairing = pairing;
  }

  /** So many frames below the caller of the unwinder that `callRow` called it will land, as it looks before `endRow`; or NONE. */
  count(callRow: number, endRow: number): number {
    if (this.rowsRead > MOST_LOOKS * this.events.length) return NONE;
    const [first, ...others] = this.callsBetween(callRow, endRow)
      .filter((row) => this.isInUnwinder(row)) // not in the linker's code, which looks for the unwinder
      .map((row) =>
        this.callsBetween(row, Math.min(endRow, this.pairing.link[row])).map((inner) => this.calledIn(inner)),
      )
      .filter((called) => called.length > 0);
    const reader = first?.[0];
    const search = others.findLast((called) => called[0] === reader);
    return search === undefined ? NONE : search.filter((fn) => fn === reader).length - 1;
  }

  /** Rows of the calls behind the one in `callRow` and before `endRow`, without those that they make. */
  private callsBetween(callRow: number, endRow: number): number[] {
    const { link } = this.pairing;
    const rows: number[] = [];
    for (let row = callRow + 1; row < endRow; row = Math.max(row, link[row]) + 1) {
      const step = this.facts.step[this.events.site[row]];
      this.rowsRead++;
      if (link[row] > row && (step === Step.Call || step === Step.EndCall)) rows.push(row);
    }
    return rows;
  }

  private calledIn(row: number): FunctionId {
    return this.facts.toFunction[this.events.site[row]];
  }

  private isInUnwinder(row: number): boolean {
    const fn = this.facts.fromFunction[this.events.site[row]];
    return fn !== NONE && (this.facts.functions.traits[fn] & Trait.Unwinder) !== 0;
  }
}
