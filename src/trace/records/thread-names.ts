/**
 * The process and all names of each thread, and names that a user selects.
 */

import { matchesInTime } from '../../host/turns.js';
import { PtflameError } from '../../model/errors.js';
import { appendTo } from '../../model/groups.js';
import type { Selection, ThreadName } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

interface NameAt {
  readonly timeNs: Nanoseconds;
  readonly comm: string;
}

interface NumberAt {
  readonly timeNs: Nanoseconds;
  readonly value: number;
}

export class ThreadNames {
  private readonly pids = new Map<Tid, NumberAt>();
  private readonly parents = new Map<Tid, NumberAt>();
  private readonly names = new Map<Tid, NameAt[]>();
  /** Names by tid, cached until the next name is added: chains of parents may be long. */
  private readonly found = new Map<Tid, readonly NameAt[]>();

  add({ tid, timeNs, pid, comm, parent }: ThreadName): void {
    this.found.clear();
    if (parent !== null && parent !== tid) keepLatest(this.parents, tid, { timeNs, value: parent });
    if (pid !== null && pid >= 0) keepLatest(this.pids, tid, { timeNs, value: pid });
    if (comm === null) return;
    appendTo(this.names, tid, { timeNs, comm });
  }

  /** Returns the names that reproduce this state, in an order that does not depend on that of the additions. */
  all(): ThreadName[] {
    const numbers = (map: ReadonlyMap<Tid, NumberAt>, name: (value: number) => Partial<ThreadName>): ThreadName[] =>
      [...map].map(([tid, { timeNs, value }]) => ({
        tid,
        timeNs,
        pid: null,
        comm: null,
        parent: null,
        ...name(value),
      }));
    const names = [...this.names].flatMap(([tid, names]) =>
      names.map(({ timeNs, comm }) => ({ tid, timeNs, pid: null, comm, parent: null })),
    );
    const all = [
      ...numbers(this.pids, (pid) => ({ pid })),
      ...numbers(this.parents, (parent) => ({ parent })),
      ...names,
    ];
    const once = new Map(all.map((name) => [JSON.stringify([name.timeNs === Number.NEGATIVE_INFINITY, name]), name]));
    return [...once]
      .sort(([aText, a], [bText, b]) => byTidThenTime(a, b) || (aText < bText ? -1 : 1))
      .map(([, name]) => name);
  }

  get hasPids(): boolean {
    return this.pids.size > 0;
  }

  get hasComms(): boolean {
    return this.names.size > 0;
  }

  pidOf(tid: Tid): number | null {
    return this.pids.get(tid)?.value ?? null;
  }

  /** Returns the last name of a thread. A thread without one has the name of the thread that created it. */
  commOf(tid: Tid): string | null {
    return lastOf(this.namesOf(tid))?.comm ?? null;
  }

  /** Returns a predicate: whether a thread is selected by any name that it ever had. `others`: names of threads without one here. */
  selector(select: Selection, others: ReadonlyMap<Tid, string>): (tid: Tid) => boolean {
    if (!selectsByName(select)) return () => true;
    const own = [...this.names.values()].flatMap((names) => names.map(({ comm }) => comm));
    const isSelected = nameSelector(select, [...own, ...others.values()]);
    return (tid) => {
      const names = this.namesOf(tid).map(({ comm }) => comm);
      return isSelected(names.length > 0 ? names : [others.get(tid) ?? '']);
    };
  }

  private namesOf(tid: Tid): readonly NameAt[] {
    const asked = new Set<Tid>();
    let names: readonly NameAt[] | undefined;
    for (
      let ancestor: Tid | undefined = tid;
      ancestor !== undefined && names === undefined && !asked.has(ancestor);
      ancestor = this.parents.get(ancestor)?.value
    ) {
      names = this.found.get(ancestor) ?? this.names.get(ancestor);
      asked.add(ancestor);
    }
    for (const descendant of asked) this.found.set(descendant, names ?? []);
    return names ?? [];
  }
}

/** Thread ids are reused, so the latest value counts; at equal times the greatest, whatever the order of inputs. */
function keepLatest(map: Map<Tid, NumberAt>, tid: Tid, next: NumberAt): void {
  const last = map.get(tid);
  const isLater = !last || next.timeNs > last.timeNs || (next.timeNs === last.timeNs && next.value > last.value);
  if (isLater) map.set(tid, next);
}

/** Returns the latest name; at equal times the greatest, so that the order of inputs does not matter. */
function lastOf(names: readonly NameAt[]): NameAt | null {
  let last: NameAt | null = null;
  for (const name of names) {
    if (last === null || name.timeNs > last.timeNs || (name.timeNs === last.timeNs && name.comm > last.comm))
      last = name;
  }
  return last;
}

function byTidThenTime(a: ThreadName, b: ThreadName): number {
  return a.tid - b.tid || (a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? -1 : 1);
}

export function selectsByName({ comm, excludeComm }: Selection): boolean {
  return comm !== undefined || excludeComm !== undefined;
}

/** Returns a predicate: whether a thread with these names is selected. `all`: the names that there are. */
export function nameSelector(
  { comm, excludeComm }: Selection,
  all: readonly string[],
): (names: readonly string[]) => boolean {
  const [isFound, isExcluded] = [comm, excludeComm].map((pattern) => pattern && nameMatcher(pattern, all));
  return (names) => (!isFound || names.some(isFound)) && !(isExcluded && names.some(isExcluded));
}

/** A million names take a quarter of a second, catastrophic backtracking forever. */
const MAX_MS = 5000;

// Matches names against a user's regular expression, with a time limit.

/**
 * Returns a predicate: whether an expression matches one of these names. There is a time limit.
 *
 * @throws PtflameError BAD_OPTION if it takes too long
 */
export function nameMatcher(pattern: RegExp, names: Iterable<string>, maxMs = MAX_MS): (name: string) => boolean {
  const all = [...new Set(names)];
  const parts = matchedParts(pattern, all, maxMs);
  const found = new Set(all.filter((_, index) => parts[index] !== null));
  return (name) => found.has(name);
}

/**
 * Returns what an expression matches of each text: its first group, or all of the match if it has no group; null: nothing.
 *
 * @throws PtflameError BAD_OPTION if it takes too long
 */
export function matchedParts(pattern: RegExp, texts: readonly string[], maxMs = MAX_MS): readonly (string | null)[] {
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')); // each text is matched from its start
  const matches = matchesInTime(expression, texts, maxMs);
  if (matches !== null) return matches.map((found) => found && (found[1] ?? found[0] ?? ''));
  throw new PtflameError('BAD_OPTION', `the expression /${pattern.source}/ takes too long`, {
    hint: 'it backtracks over the same name again and again: avoid a repetition inside a repetition, as in (.*)*',
  });
}
