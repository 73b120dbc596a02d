/**
 * Words of the view Locks.
 */
import type { LockBlocker, WaitedLock, WaitsByPath } from '../../model/profile/waits-by-path.js';
import { formatCount, formatDuration, formatMany } from '../../render/format.js';
import { visibleText } from '../../render/visible-text.js';
import type { PageData } from '../data/page-data.js';
import { nameOfThread } from './captions/wakings.js';

export function hasLocks({ waits }: Pick<PageData, 'waits'>): boolean {
  return waits !== null && waits.locks.length > 0;
}

/** Returns "70.6 ms waited for 3 locks, all threads and all of the time; …". */
export function locksLine({ locks, locksLeftOut }: Pick<WaitsByPath, 'locks' | 'locksLeftOut'>): string {
  const own = locks.filter(({ isLock }) => isLock);
  const ns = own.reduce((sum, lock) => sum + lock.ns, 0);
  return [
    `${formatDuration(ns)} waited for ${formatMany(own.length, 'lock')}`,
    'of all threads, in all the time',
    ...(locksLeftOut === 0 ? [] : [`${formatCount(locksLeftOut)} with less time are not listed: ptflame locks`]),
  ].join(' · ');
}

/** Returns "held by teller 901, teller 902 and 3 more: slept in rest", "woken by worker1 917 in finish", "woken by a timer or device". */
export function blockerText({ kind, threads, did }: LockBlocker): string {
  if (kind === 'interrupt') return 'woken by a timer or device';
  if (kind === 'not seen') return 'who woke them was not seen';
  if (kind === 'open') return 'had not ended';
  const named = threads.slice(0, 2).map(nameOfThread).join(', ');
  const who = `${named}${threads.length > 2 ? ` and ${threads.length - 2} more` : ''}`;
  const what = visibleText(did);
  if (kind === 'holder') return `held by ${who}${did === '' ? '' : `: ${what}`}`;
  return `${kind === 'maybe' ? 'maybe ' : ''}woken by ${who}${did === '' ? '' : ` in ${what}`}`;
}

/** Returns "mutex 0x55d0c0f0a0e0". */
export function lockText({ kind, address }: WaitedLock): string {
  return `${kind} ${address}`;
}
