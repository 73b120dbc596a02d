/**
 * Extracts from a trace what waits are concluded from: switches, samples, and when threads existed.
 */

import { endsOfSamples } from '../../model/sample-table.js';
import type { Bounds, Tid } from '../../model/units.js';
import type { Trace } from '../../pipeline/read/trace.js';
import { boundsOfTimes } from '../../pipeline/read/trace.js';
import type { Lifetime } from '../../trace/records/switch-log.js';
import type { ThreadSpan, WaitInput } from '../../waits/input/wait-input.js';

export function waitInputOf({ store, samples, account }: Trace): WaitInput {
  const switches = store.switches();
  const bounds = boundsOfTimes([store.bounds.startNs, store.bounds.endNs], switches.timeNs, endsOfSamples(samples));
  return { switches, samples, threads: threadSpans(store.lifetimes(), bounds), lost: account.samples.lostSpans };
}

/** A thread whose beginning or end was not recorded existed from the start, or until the end, of the recording. */
function threadSpans(lifetimes: ReadonlyMap<Tid, Lifetime>, bounds: Bounds): ThreadSpan[] {
  const threads = [...lifetimes].filter(([tid]) => tid >= 0);
  return threads.map(([tid, { forkNs, exitNs }]) => {
    const startNs = forkNs ?? bounds.startNs;
    return { tid, startNs, endNs: Math.max(startNs, exitNs ?? bounds.endNs) };
  });
}
