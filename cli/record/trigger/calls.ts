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

/** Pairs hits that begin something with those that end it. */
export interface Pairs {
  /** Returns what is complete now. */
  add(hit: Hit): Call | null;
  /** The thread has ended: its number may be another's soon. Returns what may have been complete. */
  end(tid: number): Call | null;
  /** Ends all threads. */
  endAll(): Call[];
  /** Returns since when the outermost one runs in a thread; null: none does. */
  openSince(tid: number): number | null;
}

interface Entry {
  readonly startNs: number;
  readonly stackPointer: number;
}

interface Thread {
  /** By time, each further down the stack than the one before. */
  readonly open: Entry[];
  /** Left by an exception or a jump at `leftNs`, when the function was called as high up again; its return may only be late. */
  left: (Entry & { readonly leftNs: number }) | null;
  /** A return whose entry has not arrived yet. */
  early: Hit | null;
  /** When the last complete call ended: entries before that are of calls within it, and late. */
  doneNs: number;
  /** The longest call within the outermost open one. It was an outermost call itself if that one turns out to have been left. */
  inner: Call | null;
}

/** Far more than a program has: a thread that ended is forgotten, but the kernel may lose the record that says so. */
const MAX_THREADS = 100_000;
/** Deeper recursion is not followed: its outermost call is known. */
const MAX_DEPTH = 1000;

export class Calls implements Pairs {
  readonly #threads = new Map<number, Thread>();

  /** Returns an outermost call that is complete now, or that turns out to have been one; else null. */
  add(hit: Hit): Call | null {
    const thread = this.#thread(hit.tid);
    return hit.at === 'entry' ? enter(thread, hit) : leave(thread, hit);
  }

  /**
   * The thread has ended: its number may be another's soon. Returns the longest call within one that did not return: if an
   * exception had left that one, it was an outermost call.
   */
  end(tid: number): Call | null {
    const inner = this.#threads.get(tid)?.inner ?? null;
    this.#threads.delete(tid);
    return inner;
  }

  /** Ends all threads. */
  endAll(): Call[] {
    return [...this.#threads.keys()].flatMap((tid) => this.end(tid) ?? []);
  }

  openSince(tid: number): number | null {
    return this.#threads.get(tid)?.open[0]?.startNs ?? null;
  }

  get threadCount(): number {
    return this.#threads.size;
  }

  #thread(tid: number): Thread {
    return remembered(this.#threads, tid, () => {
      return { open: [], left: null, early: null, doneNs: Number.NEGATIVE_INFINITY, inner: null };
    });
  }
}

/** Returns what is known of a thread; of a new one, what `make` returns. Forgets the oldest if there are too many. */
export function remembered<Thread>(threads: Map<number, Thread>, tid: number, make: () => Thread): Thread {
  const known = threads.get(tid);
  if (known !== undefined) return known;
  const [oldest] = threads.keys();
  if (threads.size >= MAX_THREADS && oldest !== undefined) threads.delete(oldest);
  const thread = make();
  threads.set(tid, thread);
  return thread;
}

function enter(thread: Thread, hit: Hit): Call | null {
  const { open, early } = thread;
  const { tid, timeNs: startNs, stackPointer } = hit;
  if (startNs < thread.doneNs) return null;
  const entry = { startNs, stackPointer };
  let at = open.length;
  while (at > 0 && (open[at - 1] as Entry).startNs > startNs) at--; // late
  const kept = open.findIndex((each, row) => row < at && each.stackPointer <= stackPointer);
  const found = kept === 0 ? takeInner(thread) : null; // the outermost one was left
  if (kept >= 0) {
    thread.left = { ...(open[at - 1] as Entry), leftNs: startNs };
    open.splice(kept, at - kept);
    at = kept;
  }
  if (early !== null && belongs(early, entry)) {
    thread.early = null;
    return complete(thread, tid, at, entry, early.timeNs) ?? found;
  }
  const next = open[at];
  if (next !== undefined && next.stackPointer >= stackPointer) thread.left = { ...entry, leftNs: next.startNs };
  else if (at < MAX_DEPTH) open.splice(at, 0, entry);
  return found;
}

function leave(thread: Thread, hit: Hit): Call | null {
  const { open, left } = thread;
  const at = open.findLastIndex((entry) => belongs(hit, entry));
  if (at >= 0) {
    const entry = open[at] as Entry;
    let end = at + 1;
    while (end < open.length && (open[end] as Entry).startNs <= hit.timeNs) end++; // left by exceptions that this call caught
    open.splice(at, end - at);
    return complete(thread, hit.tid, at, entry, hit.timeNs);
  }
  if (left !== null && belongs(hit, left) && hit.timeNs <= left.leftNs) {
    thread.left = null;
    return { tid: hit.tid, startNs: left.startNs, endNs: hit.timeNs };
  }
  const [outermost] = open;
  const isInner =
    outermost !== undefined && hit.stackPointer < outermost.stackPointer && hit.timeNs >= outermost.startNs;
  if (!isInner) thread.early = hit;
  return null;
}

/** `depth`: how many open calls it is in. */
function complete(thread: Thread, tid: number, depth: number, { startNs }: Entry, endNs: number): Call | null {
  const call = { tid, startNs, endNs };
  if (depth === 0) {
    thread.doneNs = endNs;
    thread.inner = null;
    return call;
  }
  const longest = thread.inner;
  if (longest === null || endNs - startNs > longest.endNs - longest.startNs) thread.inner = call;
  return null;
}

function takeInner(thread: Thread): Call | null {
  const { inner } = thread;
  thread.inner = null;
  return inner;
}

function belongs({ stackPointer, timeNs }: Hit, entry: Entry): boolean {
  return stackPointer === entry.stackPointer && timeNs >= entry.startNs;
}
