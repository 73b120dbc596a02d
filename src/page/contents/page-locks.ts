/**
 * Bounds what the report page shows of the locks that threads waited for.
 */
import type { LockBlocker, WaitedLock, WaitsByPath, WaitThread } from '../../model/profile/waits-by-path.js';
import { locksOf } from '../../questions/locks/ask-locks.js';
import type { LockHolder, LockRow } from '../../questions/locks/schema.js';
import type { TraceWaits } from '../../questions/waits/ask-waits.js';
import { holderDid } from '../../render/holder-words.js';

type LockWaker = LockRow['wakers'][number];

const MAX_LOCKS = 60;
const MAX_BLOCKERS = 4;
const MAX_THREADS = 20;

export async function locksForPage(traceWaits: TraceWaits): Promise<Pick<WaitsByPath, 'locks' | 'locksLeftOut'>> {
  const { locks } = await locksOf(traceWaits, 0, null, null);
  return { locks: locks.slice(0, MAX_LOCKS).map(lockOf), locksLeftOut: Math.max(0, locks.length - MAX_LOCKS) };
}

function lockOf({ waitedNs, places: [place], holders, wakers, ...row }: LockRow): WaitedLock {
  const { address, kind, isLock, waits, avgNs, maxNs, longestOpenNs, convoy } = row;
  const by = holders.length > 0 ? holders.map(holderOf) : wakers.map(wakerOf);
  return {
    ...{ address, kind, isLock, waits, avgNs, maxNs, longestOpenNs, convoy },
    ns: waitedNs,
    place: place?.function ?? null,
    by: by.slice(0, MAX_BLOCKERS),
  };
}

function holderOf(holder: LockHolder): LockBlocker {
  const { threads, heldNs: ns, waits } = holder;
  return { kind: 'holder', threads: listed(threads), ns, waits, did: holderDid(holder) };
}

function wakerOf({ kind, threads, isCandidate, function: place, waits, waitedNs }: LockWaker): LockBlocker {
  const blocker = { threads: listed(threads), ns: waitedNs, waits, did: place?.name ?? '' };
  if (kind === 'thread') return { kind: isCandidate ? 'maybe' : 'waker', ...blocker };
  return { kind: kind === 'not-seen' ? 'not seen' : kind, ...blocker };
}

function listed(threads: LockHolder['threads']): WaitThread[] {
  return threads.slice(0, MAX_THREADS).map(({ tid, comm, isTraced }) => ({ tid, comm, isTraced }));
}
