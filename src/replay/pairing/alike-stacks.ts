/**
 * Chooses among parked stacks that look alike: the one whose calls the next returns end, from the top downwards. If
 * that does not decide, the one that was switched away from first, as schedulers take turns.
 */
import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { endsAt, type OpenCall } from './calls.js';

/** Reads ahead at most this many times the events since the last choice, so that the total cost stays linear. */
const REACH_FACTOR = 8;
const MIN_REACH = 256;

export class AlikeStacks {
  private lastRow = 0;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;

  constructor(events: ThreadEvents, facts: SiteFacts) {
    this.events = events;
    this.facts = facts;
  }

  /**
   * Returns the index of the stack that the event in `row` continues. `stacks`: for each candidate, the calls that
   * would be open then, lowest first; at least two candidates, ordered by when they were left.
   */
  choose(stacks: readonly (readonly OpenCall[])[], row: number): number {
    const { site } = this.events;
    const { step, to } = this.facts;
    const end = Math.min(site.length, row + MIN_REACH + REACH_FACTOR * (row - this.lastRow));
    this.lastRow = row;
    let alike = [...stacks.keys()];
    let above = 0; // calls made since `row`
    let returned = 0;
    for (let at = row; at < end && alike.length > 1 && !this.isSwitch(site[at]); at++) {
      const kind = step[site[at]];
      if (kind === Step.Call || kind === Step.KernelEntry) above++;
      else if (kind === Step.Return && above > 0) above--;
      else if (kind === Step.Return) {
        returned++;
        const left = alike.filter((index) => {
          const call = stacks[index]?.at(-returned);
          return call !== undefined && endsAt(call, to[site[at]]);
        });
        if (left.length === 0) break;
        alike = left;
      } else if (kind === Step.Gap) break;
    }
    return alike[0] as number;
  }

  /** True if the thread switches stacks again here, or calls a function that will. */
  private isSwitch(site: number): boolean {
    const { fromFunction, toFunction, functions } = this.facts;
    const isSwitcher = (fn: number) => fn >= 0 && (functions.traits[fn] & Trait.StackSwitcher) !== 0;
    return isSwitcher(fromFunction[site]) || isSwitcher(toFunction[site]);
  }
}
