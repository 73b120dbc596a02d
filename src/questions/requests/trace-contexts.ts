/**
 * Finds the distributed trace that a request belongs to: the first W3C `traceparent` that a sample of its thread shows.
 */

import { countBelow } from '../../model/columns.js';
import { appendTo } from '../../model/groups.js';
import type { SampleTable } from '../../model/sample-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

/** As in W3C Trace Context. */
export interface TraceContext {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Of version 00, the only one that there is: version, trace id, parent's span id, flags. */
const TRACEPARENT = /(?<![0-9a-f])00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?![0-9a-f])/;
const LENGTH = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'.length;
/** Ids of zeros are invalid. */
const ZEROS = /^0+$/;

interface Shown {
  readonly timeNs: Nanoseconds;
  readonly context: TraceContext;
}

export class TraceContexts {
  private readonly byThread = new Map<Tid, Shown[]>();
  private readonly times = new Map<Tid, Float64Array>();

  /** Of one host, in whichever field of whichever event they are. */
  constructor(samples: readonly SampleTable[]) {
    for (const { fields, tid, timeNs } of samples)
      for (const { texts } of fields)
        texts?.forEach((text, row) => {
          const context = contextIn(text);
          if (context !== null) this.add(tid[row], { timeNs: timeNs[row], context });
        });
    for (const [tid, shown] of this.byThread) {
      shown.sort((a, b) => a.timeNs - b.timeNs);
      this.times.set(
        tid,
        Float64Array.from(shown, ({ timeNs }) => timeNs),
      );
    }
  }

  /** Returns the first one that a thread shows from a time on, and before or at another; null: there is none. */
  within(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): TraceContext | null {
    const times = this.times.get(tid);
    const first = times && this.byThread.get(tid)?.[countBelow(times, fromNs)];
    return first && first.timeNs <= toNs ? first.context : null;
  }

  private add(tid: Tid, shown: Shown): void {
    appendTo(this.byThread, tid, shown);
  }
}

function contextIn(text: string): TraceContext | null {
  if (text.length < LENGTH) return null; // as most texts, such as names of threads
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (traceId === '' || ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
