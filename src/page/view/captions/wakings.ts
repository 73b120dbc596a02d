/**
 * Describes wakings: who woke whom, and when.
 */
import type { WaitThread } from '../../../model/profile/waits-by-path.js';
import type { Nanoseconds } from '../../../model/units.js';
import { formatDuration, formatMany } from '../../../render/format.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import type { StripArrows } from '../strip-arrows.js';
import type { Role, Waking } from '../waking-index.js';
import { momentText } from './time.js';
import { nameOfThread } from './waits.js';

/** "woken by teller 2", "wakes customer 1". `role`: of the thread in whose chart this is. */
export function wakingLabel(waking: Waking, role: Role): string {
  const maybe = maybeText(waking);
  return role === 'waiter'
    ? `${maybe}woken by ${nameOfThread(waking.waker)}`
    : `${maybe}wakes ${nameOfThread(waking.waiter)}`;
}

/** "teller 2", "maybe teller 2": where there is no space for more. */
export function shortLabel(waking: Waking, role: Role): string {
  return `${maybeText(waking)}${nameOfThread(otherThread(waking, role))}`;
}

function maybeText({ isMaybe }: Waking): string {
  return isMaybe ? 'maybe ' : '';
}

/** Returns the other thread of a waking. */
export function otherThread({ waiter, waker }: Waking, role: Role): WaitThread {
  return role === 'waiter' ? waker : waiter;
}

/** "woken by teller 2 at 5.2 ms, after 3 ms, 4.5 µs before it ran". */
export function wakingText(waking: Waking, role: Role, scaleNs: Nanoseconds): string {
  const waited = formatDuration(waking.runNs - waking.startNs);
  const latency = formatDuration(waking.runNs - waking.wakeNs);
  const at = momentText(waking.wakeNs, 1, scaleNs);
  return `${wakingLabel(waking, role)} at ${at}: a wait of ${waited}, ${latency} of it waking up`;
}

/** Returns what the tooltip of a wait says of its end. */
export function wakerDetail(waking: Waking) {
  const note = `${formatDuration(waking.runNs - waking.wakeNs)} before it ran`;
  return { label: waking.isMaybe ? 'maybe woken by' : 'woken by', value: nameOfThread(waking.waker), note };
}

/** Returns the tooltip of an arrow between strips. */
export function wakingDetails(waking: Waking, scaleNs: Nanoseconds): FrameDetails {
  const { waiter, waker, startNs, wakeNs, runNs, isMaybe } = waking;
  const row = (label: string, value: string) => ({ label, value, note: '' });
  return {
    title: `${nameOfThread(waker)} ${isMaybe ? 'may have woken' : 'woke'} ${nameOfThread(waiter)}`,
    rows: [
      row('at', momentText(wakeNs, 1, scaleNs)),
      row('waited', formatDuration(runNs - startNs)),
      row('waking up', formatDuration(runNs - wakeNs)),
      { label: '', value: '', note: 'click: stack chart of the wait' },
    ],
  };
}

/** Says how many arrows there are between strips, and what they lack. */
export function arrowsText({ arrows, count, most }: StripArrows, leftOut: number): string {
  const isDrawn = arrows.length === count && count > 0;
  const tooMany = `, too many for arrows (at most ${most}): choose a shorter range or fewer threads`;
  const drawn = isDrawn ? ' as arrows' : count > 0 ? tooMany : '';
  return `${formatMany(count, 'waking')}${drawn}${leftOut > 0 ? ` · ${leftOutText(leftOut)}` : ''}`;
}

/** Says what is not in the file, and the remedy. */
export function leftOutText(leftOut: number): string {
  return `${formatMany(leftOut, 'waking')} of shorter waits not in this file: --time-detail 16M`;
}
