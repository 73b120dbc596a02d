/**
 * Names threads, functions and call paths in text about locks.
 */
import type { LockHolder } from '../../../src/questions/locks/schema.js';
import type { WaitThread } from '../../../src/questions/waits/schema.js';
import { visibleText } from '../../../src/render/visible-text.js';

type Named = LockHolder['function'];

/** "teller", "clerk (3 threads)", "[kworker/3:6]": threads that were not traced are in brackets. */
export function threadsText(threads: readonly WaitThread[]): string {
  const [first] = threads;
  if (first === undefined) return '[unknown]';
  const name = visibleText(first.comm ?? String(first.tid));
  const count = threads.length > 1 ? ` (${threads.length} threads)` : '';
  return first.isTraced ? `${name}${count}` : `[${name}${count}]`;
}

export function functionText(named: Named): string {
  return named === null ? '[unknown]' : bareName(named.name);
}

/** A name without the version of its symbol: "pthread_mutex_lock@@GLIBC_2.2.5". */
function bareName(name: string): string {
  return name.replace(/@@?GLIBC\w*[\d.]*$/, '');
}

const MAX_FRAMES = 4;

/** The innermost frames of a call path: "… update_account → rest → clock_nanosleep [off-cpu]". */
export function pathText(path: LockHolder['spots'][number]['path']): string {
  const names = path.map(({ name }) => bareName(name));
  const stops = names.filter((name) => name.startsWith('['));
  const functions = names.filter((name) => !name.startsWith('['));
  const inner = functions.slice(-MAX_FRAMES);
  const dots = functions.length > inner.length ? '… ' : '';
  return [`${dots}${inner.join(' → ')}`, ...stops.slice(-1)].filter((part) => part !== '').join(' ');
}
