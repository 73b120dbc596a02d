/**
 * Says what the holder of a lock did while others waited for it.
 */
import type { Nanoseconds } from '../model/units.js';
import { formatShare } from './format.js';

interface Named {
  readonly name: string;
}

/** Times of a holder, and the call paths with most of them, outermost frame first. */
interface HeldLock {
  readonly heldNs: Nanoseconds;
  readonly ranNs: Nanoseconds;
  readonly blockedNs: Nanoseconds;
  readonly preemptedNs: Nanoseconds;
  readonly spots: readonly { readonly path: readonly Named[]; readonly function: Named | null }[];
}

const SLEEPS = /nanosleep|\bu?sleep$/;

/** Returns "slept in rest", "ran 93 % of it"; empty: not known. */
export function holderDid(holder: HeldLock): string {
  const [main] = holder.spots;
  if (main === undefined) return scheduleText(holder);
  const stop = main.path.at(-1)?.name ?? '';
  const name = main.function?.name ?? '[unknown]';
  if (stop === '[off-cpu]')
    return main.path.some((frame) => SLEEPS.test(frame.name)) ? `slept in ${name}` : `waited in ${name}`;
  if (stop === '[preempted]') return `was preempted in ${name}`;
  if (stop === '[syscall]') return `was in a system call of ${name}`;
  if (stop === '[lost]') return 'was not seen: its trace is lost';
  return `ran ${name}`;
}

function scheduleText({ ranNs, blockedNs, preemptedNs, heldNs }: HeldLock): string {
  const parts = [
    [ranNs, 'ran'],
    [blockedNs, 'was blocked'],
    [preemptedNs, 'was preempted'],
  ] as const;
  const main = parts.reduce((most, part) => (part[0] > most[0] ? part : most));
  return main[0] > 0 ? `${main[1]} ${formatShare(main[0], heldNs)} of it` : '';
}
