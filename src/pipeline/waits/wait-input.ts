/**
 * Extracts from a trace what waits are concluded from: switches, samples, and when threads existed.
 */
import type { LostSpan } from '../../model/samples/sample-account.js';
import type { Tid } from '../../model/units.js';
import type { Lifetime } from '../../store/records/lifetimes.js';
import { samplesOfThreads, type ThreadSpan, type WaitInput } from '../../waits/input/wait-input.js';
import type { Trace } from '../read/trace.js';

export function waitInputOf({ store, samples, account }: Trace): WaitInput {
  const switches = store.switches();
  const bounds = boundsOf(
    [store.bounds.startNs, store.bounds.endNs],
    switches.timeNs,
    ...samplesOfThreads(samples).map(timesOf),
  );
  return { switches, samples, threads: threadSpans(store.lifetimes(), bounds), lost: account.samples.lostSpans };
}

function timesOf({ timeNs }: { readonly timeNs: Float64Array }): Float64Array {
  return timeNs;
}

/** Times are not sorted among columns; infinite ones do not count. */
function boundsOf(...columns: ArrayLike<number>[]): LostSpan {
  let fromNs = Number.POSITIVE_INFINITY;
  let toNs = Number.NEGATIVE_INFINITY;
  for (const times of columns)
    for (let row = 0; row < times.length; row++) {
      if (!Number.isFinite(times[row])) continue;
      fromNs = Math.min(fromNs, times[row]);
      toNs = Math.max(toNs, times[row]);
    }
  return { fromNs, toNs };
}

/** A thread whose beginning or end was not recorded existed from the start, or until the end, of the recording. */
function threadSpans(lifetimes: ReadonlyMap<Tid, Lifetime>, bounds: LostSpan): ThreadSpan[] {
  const threads = [...lifetimes].filter(([tid]) => tid >= 0);
  return threads.map(([tid, { forkNs, exitNs }]) => {
    const startNs = forkNs ?? bounds.fromNs;
    return { tid, startNs, endNs: Math.max(startNs, exitNs ?? bounds.toNs) };
  });
}
