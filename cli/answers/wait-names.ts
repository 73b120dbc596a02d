/**
 * Names threads, wakers and places in answers about waits. What was not traced is in brackets.
 */
import type { WaitPlace, WaitThread, WakerRow } from '../../src/questions/waits/schema.js';

/** "teller 7493"; "[kworker/3:6 17351]" if it was not traced. */
export function threadName({ tid, comm, isTraced }: WaitThread): string {
  const name = comm === null ? String(tid) : `${comm} ${tid}`;
  return isTraced ? name : `[${name}]`;
}

/** "read_balance → pthread_mutex_lock". */
export function placeText({ function: place, call }: WaitPlace): string {
  if (place === null) return '[unknown]';
  return call === null ? place.name : `${place.name} → ${bareName(call.name)}`;
}

/** Symbol versions of libraries tell users nothing here. */
function bareName(name: string): string {
  return name.replace(/@@?[\w.]+$/, '');
}

/** "bob 12: transfer → pthread_mutex_unlock"; "worker (3 threads): …". */
export function wakerText({ kind, threads, function: place, call, isCandidate }: WakerRow): string {
  if (kind !== 'thread') return OTHER_WAKERS[kind];
  const where = place === null ? '' : `: ${placeText({ function: place, call })}`;
  return `${isCandidate ? 'maybe ' : ''}${threadsName(threads)}${where}`;
}

const OTHER_WAKERS = {
  interrupt: '[interrupt] a timer or a device',
  'not-seen': '[not seen]',
  open: '[still waiting]',
};

function threadsName(threads: readonly WaitThread[]): string {
  const [first, ...others] = threads;
  if (others.length === 0) return threadName(first);
  const name = `${first.comm} (${threads.length} threads)`;
  return first.isTraced ? name : `[${name}]`;
}
