/**
 * Turns passages of two places into ways of threads from the first to the second, whatever the thread calls in between.
 *
 * A thread that passes the first place again before it reaches the second begins anew: the time since then is the least that
 * the way has taken.
 */
import { type Call, type Hit, type Pairs, remembered } from './calls.js';

interface Thread {
  /** When it passed the first place; null: it is not on its way. */
  startNs: number | null;
  /** When it passed the second, without the first, which may be late: it comes from another CPU. */
  early: number | null;
  doneNs: number;
}

export class Ways implements Pairs {
  readonly #threads = new Map<number, Thread>();

  add({ tid, timeNs, at }: Hit): Call | null {
    const thread = remembered(this.#threads, tid, () => ({
      startNs: null,
      early: null,
      doneNs: Number.NEGATIVE_INFINITY,
    }));
    return at === 'entry' ? begin(thread, tid, timeNs) : reach(thread, tid, timeNs);
  }

  end(tid: number): null {
    this.#threads.delete(tid);
    return null;
  }

  endAll(): Call[] {
    this.#threads.clear();
    return [];
  }

  openSince(tid: number): number | null {
    return this.#threads.get(tid)?.startNs ?? null;
  }
}

function begin(thread: Thread, tid: number, timeNs: number): Call | null {
  if (timeNs < thread.doneNs || timeNs < (thread.startNs ?? timeNs)) return null; // late
  thread.startNs = timeNs;
  const { early } = thread;
  if (early === null || early < timeNs) return null;
  return reach(thread, tid, early);
}

function reach(thread: Thread, tid: number, timeNs: number): Call | null {
  const { startNs } = thread;
  const isOnWay = startNs !== null && startNs <= timeNs;
  thread.early = isOnWay ? null : timeNs;
  if (!isOnWay) return null;
  thread.startNs = null;
  thread.doneNs = timeNs;
  return { tid, startNs, endNs: timeNs };
}
