/**
 * Who each thread is: its process, and every name it had.
 */
import type { ThreadName } from '../model/trace-chunk.js';
import type { Nanoseconds, Tid } from '../model/units.js';

interface NameAt {
  readonly timeNs: Nanoseconds;
  readonly comm: string;
}

export class ThreadNames {
  private readonly pids = new Map<Tid, number>();
  private readonly names = new Map<Tid, NameAt[]>();

  add({ tid, timeNs, pid, comm }: ThreadName): void {
    if (pid !== null && pid >= 0) this.pids.set(tid, pid);
    if (comm === null) return;
    const names = this.names.get(tid);
    if (names) names.push({ timeNs, comm });
    else this.names.set(tid, [{ timeNs, comm }]);
  }

  get knowsPids(): boolean {
    return this.pids.size > 0;
  }

  get knowsComms(): boolean {
    return this.names.size > 0;
  }

  pidOf(tid: Tid): number | null {
    return this.pids.get(tid) ?? null;
  }

  /** The last name a thread had; among names of one time the greatest, so that the order of inputs does not matter. */
  commOf(tid: Tid): string | null {
    const names = this.names.get(tid) ?? [];
    let last: NameAt | null = null;
    for (const name of names) {
      if (last === null || name.timeNs > last.timeNs || (name.timeNs === last.timeNs && name.comm > last.comm)) last = name;
    }
    return last?.comm ?? null;
  }

  everMatched(tid: Tid, pattern: RegExp): boolean {
    return (this.names.get(tid) ?? []).some(({ comm }) => pattern.test(comm));
  }
}
