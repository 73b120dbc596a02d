/**
 * Analyzes inputs for outputs over time: the profile, the timeline, single calls, and the waits if the trace has samples
 * that tell about them.
 */

import type { LongestCalls } from '../../model/calls/call-events.js';
import { assert } from '../../model/errors.js';
import type { Profile } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { tableOf } from '../../model/samples/sample-table.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import type { Trace } from '../../pipeline/read/trace.js';
import { replayTrace } from '../../pipeline/replay-trace.js';
import { withTrace } from '../../pipeline/with-trace.js';
import { traceWaitsOf } from '../../questions/waits/ask-waits.js';
import { wakingBytes, wakingsOf } from './timeline-wakings.js';
import { waitsByPath } from './waits-by-path.js';

export interface PageContents {
  readonly profile: Profile;
  /** null: nothing is known of them, or the profile is of some calls only. */
  readonly waits: WaitsByPath | null;
  /** null: not requested, the trace has no times, or the profile is of some calls only. */
  readonly timeline: Timeline | null;
  /** null: not requested. */
  readonly longestCalls: LongestCalls | null;
}

/** Returns the profile of `analyze`, and what a page shows besides. @throws PtflameError as `analyze` */
export function analyzeForPage(inputs: readonly AnalyzedInput[], options: AnalyzeOptions = {}): Promise<PageContents> {
  const withOptions = { ...options, byCalls: options.byCalls ?? false, isPart: options.window !== undefined };
  return withTrace(inputs, withOptions, async (trace, resources) => {
    if (!hasWaits(trace, options)) {
      const { profile, timeline, longestCalls } = await replayTrace(trace, options, {}, resources);
      return { profile, waits: null, timeline, longestCalls };
    }
    const { timelineBytes = 0 } = options;
    const forWakings = wakingBytes(trace, timelineBytes);
    const traceWaits = await traceWaitsOf(trace, { ...options, timelineBytes: timelineBytes - forWakings }, resources);
    const { calls } = traceWaits;
    assert(calls !== null, 'a profile has threads');
    const { profile, timeline, longestCalls } = calls;
    const wakings = timeline && wakingsOf(traceWaits, calls, timeline, forWakings);
    const waits = await waitsByPath(traceWaits, calls);
    return { profile, waits, timeline: timeline && { ...timeline, wakings }, longestCalls };
  });
}

/** Switches alone say that threads waited, but not for whom. Waits cannot be cut to what happens inside calls. */
function hasWaits({ samples, account }: Trace, { inside = [], root }: AnalyzeOptions): boolean {
  const isKnown = tableOf(samples, 'sched:sched_waking') !== null && account.timeless === 0;
  return isKnown && inside.length === 0 && root === undefined;
}
