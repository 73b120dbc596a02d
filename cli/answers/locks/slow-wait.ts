/**
 * Says in a sentence for whom a thread waited, and what that one did: "customer waited 18.1 ms for teller, …".
 */
import type { LockHolder, LockWait } from '../../../src/questions/locks/schema.js';
import { formatDuration } from '../../../src/render/format.js';
import { shareCell } from '../numbers.js';
import { threadName } from '../wait-names.js';
import { threadsText } from './lock-names.js';

export function slowWaitLine(wait: LockWait): string {
  const { thread, start, waitedNs, kind, address, holders, wakeUpNs, waker, isWakerCandidate, function: place } = wait;
  const where = place === null ? '' : ` in ${place.name}`;
  const forWhom =
    holders.length > 0 ? ` for ${holders.map(holderText).join('; then for ')}` : '; its holder is not known';
  const isWokenByLast = waker !== null && holders.at(-1)?.threads[0]?.tid === waker.tid;
  const woken =
    waker === null || isWokenByLast ? '' : `; ${isWakerCandidate ? 'maybe ' : ''}${threadName(waker)} woke it`;
  const late = wakeUpNs > 0 ? `; ran ${formatDuration(wakeUpNs)} after it was woken` : '';
  return `at ${start} ${threadName(thread)} waited ${formatDuration(waitedNs)}${where} (${kind} ${address})${forWhom}${woken}${late}`;
}

function holderText(holder: LockHolder): string {
  const { threads, heldNs, spots } = holder;
  const who = threads.length === 1 && threads[0] ? threadName(threads[0]) : threadsText(threads);
  const [main] = spots;
  const did = main ? didText(main) : scheduleText(holder);
  return `${who}, which held it ${formatDuration(heldNs)}${did === '' ? '' : ` and ${did}`}`;
}

type Spot = LockHolder['spots'][number];

const SLEEPS = /nanosleep|\bu?sleep$/;

function didText({ path, function: place }: Spot): string {
  const stop = path.at(-1)?.name ?? '';
  const name = place?.name ?? '[unknown]';
  if (stop === '[off-cpu]')
    return path.some((frame) => SLEEPS.test(frame.name)) ? `slept in ${name}` : `waited in ${name}`;
  if (stop === '[preempted]') return `was preempted in ${name}`;
  if (stop === '[syscall]') return `was in a system call of ${name}`;
  if (stop === '[lost]') return 'was not seen: its trace is lost';
  return `ran ${name}`;
}

function scheduleText({ ranNs, blockedNs, preemptedNs, heldNs }: LockHolder): string {
  const parts = [
    [ranNs, 'ran'],
    [blockedNs, 'was blocked'],
    [preemptedNs, 'was preempted'],
  ] as const;
  const main = parts.reduce((most, part) => (part[0] > most[0] ? part : most));
  return main[0] > 0 ? `${main[1]} ${shareCell(main[0], heldNs)} of it` : '';
}
