/**
 * Finds what one host sent to another, by ids that the one handed on once and the other took once. Ids that are seen more
 * often, such as those of repeated requests, do not say which was which before the clocks are known.
 */
import type { Nanoseconds } from '../../model/units.js';
import { hasKey, type Moments } from '../moments.js';

/** What one host handed on, and another took; each time is of its host's clock. */
export interface SentIds {
  readonly sentNs: Nanoseconds[];
  readonly takenNs: Nanoseconds[];
}

/** `pushes`, `pops`: by host. Adds to `sent`: by sender, then taker. */
export function addSentIds(pushes: readonly Moments[], pops: readonly Moments[], sent: SentIds[][]): void {
  const sentOnce = pushes.map(onlyTimes);
  const takenOnce = pops.map(onlyTimes);
  sentOnce.forEach((own, sender) => {
    takenOnce.forEach((others, taker) => {
      if (sender === taker) return;
      for (const [id, takenNs] of others) {
        const sentNs = own.get(id) ?? Number.NaN;
        if (Number.isNaN(sentNs) || Number.isNaN(takenNs)) continue;
        sent[sender][taker].sentNs.push(sentNs);
        sent[sender][taker].takenNs.push(takenNs);
      }
    });
  });
}

/** By id: when it was seen; NaN: more than once. Numbers are not ids. */
function onlyTimes(moments: Moments): Map<string, Nanoseconds> {
  const times = new Map<string, Nanoseconds>();
  for (let row = 0; row < moments.length; row++) {
    const id = moments.key[row];
    if (typeof id === 'string' && hasKey(moments, row)) times.set(id, times.has(id) ? Number.NaN : moments.timeNs[row]);
  }
  return times;
}

export function noSentIds(hosts: number): SentIds[][] {
  return Array.from({ length: hosts }, () => Array.from({ length: hosts }, () => ({ sentNs: [], takenNs: [] })));
}
