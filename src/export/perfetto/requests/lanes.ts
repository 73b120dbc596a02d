/**
 * Places the work of a thread on lanes, on which it nests. One lane is enough, unless a thread works for a request while it
 * works for another one, or switches between stacks.
 */
import { type Nanoseconds, NONE } from '../../../model/units.js';
import type { PartSpan } from '../../requests/part-spans.js';
import type { Work } from './works.js';

/** The beginning of a span, or the end of the last one that has not ended yet. */
export interface LaneEvent {
  /** The clock of the work's thread. */
  readonly ns: Nanoseconds;
  readonly work: Work;
  /** What begins; null: what began last ends. */
  readonly span: PartSpan | null;
}

/** An open span. */
interface Open extends LaneEvent {
  readonly endNs: Nanoseconds;
}

export class Lane {
  readonly events: LaneEvent[] = [];
  /** Innermost last. */
  private readonly open: Open[] = [];

  isIdleAt(ns: Nanoseconds): boolean {
    this.endUntil(ns, null);
    return this.open.length === 0 && (this.events.at(-1)?.ns ?? ns) <= ns;
  }

  /** Whether a span that begins now can be right above another one. */
  isAbove(below: Open, ns: Nanoseconds): boolean {
    this.endUntil(ns, below);
    return this.open.at(-1) === below;
  }

  begin(span: Open): void {
    this.open.push(span);
    this.events.push(span);
  }

  /** Ends the spans above one, or all, as far as they have ended by a time. */
  endUntil(ns: Nanoseconds, below: Open | null): void {
    for (let top = this.open.at(-1); top !== undefined && top !== below && top.endNs <= ns; top = this.open.at(-1)) {
      this.events.push({ ns: top.endNs, work: top.work, span: null });
      this.open.pop();
    }
  }
}

export class Lanes {
  readonly all: Lane[] = [];

  /** Adds what a thread did; by time of its beginning. Returns the lane of the work itself. */
  add(work: Work, spans: readonly PartSpan[]): Lane {
    const { startNs, ownStartNs } = work.part;
    const own = (ns: Nanoseconds) => ns - startNs + ownStartNs;
    const placed: { readonly lane: Lane; readonly opened: Open }[] = [];
    for (const span of spans) {
      const opened = { ns: own(span.startNs), endNs: own(span.endNs), work, span };
      const below = span.parent === NONE ? null : placed[span.parent];
      const lane = below?.lane.isAbove(below.opened, opened.ns) ? below.lane : this.idleAt(opened.ns);
      lane.begin(opened);
      placed.push({ lane, opened });
    }
    return placed[0].lane;
  }

  end(): void {
    for (const lane of this.all) lane.endUntil(Number.POSITIVE_INFINITY, null);
  }

  private idleAt(ns: Nanoseconds): Lane {
    const idle = this.all.find((lane) => lane.isIdleAt(ns));
    if (idle !== undefined) return idle;
    const added = new Lane();
    this.all.push(added);
    return added;
  }
}
