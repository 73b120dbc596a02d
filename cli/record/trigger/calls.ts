/**
 * Turns hits at the entry and at the returns of a function into its outermost calls.
 *
 * An entry and a return belong together if the stack pointer is the same in both: it points to the return address. This holds
 * under recursion, after exceptions and `longjmp`, and if the hits of another CPU arrive late.
 */

export interface Hit {
  readonly tid: number;
  readonly timeNs: number;
  readonly stackPointer: number;
  readonly at: 'entry' | 'end';
}

export interface Call {
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
}

interface Entry {
  readonly startNs: number;
  readonly stackPointer: number;
  /** When the thread called the function as high up again: it had left this call by an exception or a jump. */
  leftNs: number;
}

interface Thread {
  open: Entry | null;
  /** Left, but its return may still arrive. */
  left: Entry | null;
  /** A return whose entry has not arrived yet. */
  early: Hit | null;
  /** When the last complete call ended: entries before that are of calls within it, and late. */
  doneNs: number;
}

/** Far more than a program has: a thread that ended is forgotten, but the kernel may lose the record that says so. */
const MAX_THREADS = 100_000;

export class Calls {
  readonly #threads = new Map<number, Thread>();

  /** Returns the outermost call that is complete now, or null. */
  add(hit: Hit): Call | null {
    const thread = this.#thread(hit.tid);
    return hit.at === 'entry' ? enter(thread, hit) : leave(thread, hit);
  }

  /** The thread has ended: its number may be another's soon. */
  end(tid: number): void {
    this.#threads.delete(tid);
  }

  /** Another program runs in the process: no call goes on. */
  clear(): void {
    this.#threads.clear();
  }

  get threadCount(): number {
    return this.#threads.size;
  }

  #thread(tid: number): Thread {
    const known = this.#threads.get(tid);
    if (known !== undefined) return known;
    const [oldest] = this.#threads.keys();
    if (this.#threads.size >= MAX_THREADS && oldest !== undefined) this.#threads.delete(oldest);
    const thread: Thread = { open: null, left: null, early: null, doneNs: Number.NEGATIVE_INFINITY };
    this.#threads.set(tid, thread);
    return thread;
  }
}

function enter(thread: Thread, hit: Hit): Call | null {
  const { open, early } = thread;
  const { timeNs, stackPointer } = hit;
  const entry = { startNs: timeNs, stackPointer, leftNs: Number.POSITIVE_INFINITY };
  const isInner = open !== null && stackPointer < open.stackPointer && timeNs >= open.startNs;
  if (isInner || timeNs < thread.doneNs) return null;
  if (early !== null && belongs(early, entry)) {
    thread.early = null;
    if (open !== null && open.startNs < early.timeNs) thread.open = null; // within this call, or left before it
    return complete(thread, hit.tid, entry, early.timeNs);
  }
  if (open !== null && timeNs < open.startNs && stackPointer <= open.stackPointer) {
    thread.left = { ...entry, leftNs: open.startNs }; // late
    return null;
  }
  if (open !== null) thread.left = { ...open, leftNs: timeNs };
  thread.open = entry;
  return null;
}

function leave(thread: Thread, hit: Hit): Call | null {
  const { open, left } = thread;
  if (open !== null && belongs(hit, open)) {
    thread.open = null;
    return complete(thread, hit.tid, open, hit.timeNs);
  }
  if (left !== null && belongs(hit, left)) {
    thread.left = null;
    return { tid: hit.tid, startNs: left.startNs, endNs: hit.timeNs };
  }
  const isInner = open !== null && hit.stackPointer < open.stackPointer && hit.timeNs >= open.startNs;
  if (!isInner) thread.early = hit;
  return null;
}

function complete(thread: Thread, tid: number, { startNs }: Entry, endNs: number): Call {
  thread.doneNs = endNs;
  return { tid, startNs, endNs };
}

function belongs({ stackPointer, timeNs }: Hit, entry: Entry): boolean {
  return stackPointer === entry.stackPointer && timeNs >= entry.startNs && timeNs <= entry.leftNs;
}
