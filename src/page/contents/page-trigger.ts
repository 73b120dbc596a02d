/**
 * Says on the page which call a snapshot was taken of.
 */
import type { Profile } from '../../model/profile/profile.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { formatDuration } from '../../render/format.js';
import { visibleText } from '../../render/visible-text.js';
import type { PageTrigger } from '../data/trigger.js';

export type { PageTrigger };

/** A call that triggered a snapshot. */
export interface TriggeringCall {
  /** "parse"; of a way from one function to another, "parse..reply". */
  readonly name: string;
  readonly tid: Tid;
  /** On perf's clock. Of a call that still ran, the end is when the snapshot was ordered. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly isRunning: boolean;
  /** From its end until the snapshot was ordered; negative: it was ordered before. */
  readonly orderedAfterNs: Nanoseconds;
}

/** `originNs`: where the timeline begins, in the profile's time. `why`: more sentences, why it was slow. */
export function pageTrigger(
  call: TriggeringCall,
  { meta, threads }: Profile,
  originNs: Nanoseconds,
  why = '',
): PageTrigger {
  const { name, tid, startNs, endNs, isRunning } = call;
  const thread = threads.find((each) => each.tid === tid);
  const text = (own: string) => ({ kind: 'text', text: own }) as const;
  const onTimeline = (ns: Nanoseconds) => Math.round(Math.max(0, ns - Number(meta.originNs) - originNs));
  const fromNs = onTimeline(startNs);
  const range = { startNs: fromNs, endNs: Math.max(fromNs + 1, onTimeline(endNs)) };
  const marked = { tid, ...range };
  return {
    kind: 'trigger',
    sentence: [
      text('Snapshot of a call of '),
      { kind: 'name', text: visibleText(name) },
      text(isRunning ? ' that had run for ' : ' that took '),
      { kind: 'number', text: formatDuration(endNs - startNs) },
      text(' in thread '),
      { kind: 'name', text: visibleText(thread?.comm ? `${thread.comm} ${tid}` : `${tid}`) },
      text(orderedText(call) + why),
    ],
    actions: thread ? [{ label: 'Show it', change: { call: marked, range } }] : [],
    call: marked,
  };
}

/** perf freezes the buffer when it gets the order: docs/recording.md says how much later. */
function orderedText({ isRunning, orderedAfterNs }: TriggeringCall): string {
  if (isRunning) return '; its end is not known.';
  const time = formatDuration(Math.abs(orderedAfterNs));
  return `; the snapshot was ordered ${time} ${orderedAfterNs < 0 ? 'before' : 'after'} its end.`;
}
