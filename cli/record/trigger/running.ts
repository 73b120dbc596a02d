/**
 * Tells of calls that are slow while they still run.
 */
import type { Call } from './calls.js';

export interface RunningInput {
  /** A call is slow when it has run longer. It may grow. */
  readonly limitNs: () => number;
  /** Returns false if it shall be told again. */
  readonly onSlow: (call: Call) => boolean;
}

interface Running {
  readonly startNs: number;
  /**
   * Since when it is known, on our clock: it has run since then at least. What the time is on perf's clock can only be guessed: the
   * two drift apart, and NTP slews ours.
   */
  readonly knownNs: number;
  timer: NodeJS.Timeout | null;
  isTold: boolean;
}

/** A call of which somebody wants to be told again. */
const RETRY_MS = 10;
const MAX_TIMER_MS = 2 ** 31 - 1;

export class RunningCalls {
  readonly #input: RunningInput;
  readonly #threads = new Map<number, Running>();

  constructor(input: RunningInput) {
    this.#input = input;
  }

  /** The outermost call of a thread runs since `startNs`; null: there is none. */
  update(tid: number, startNs: number | null): void {
    const known = this.#threads.get(tid);
    if (known?.startNs === startNs) return;
    if (known?.timer) clearTimeout(known.timer);
    if (startNs === null) return void this.#threads.delete(tid);
    const running = { startNs, knownNs: nowNs(), timer: null, isTold: false };
    this.#threads.set(tid, running);
    this.#wait(tid, running, 0);
  }

  /** The call was told while it ran. */
  isTold({ tid, startNs }: Call): boolean {
    const known = this.#threads.get(tid);
    return known?.startNs === startNs && known.isTold;
  }

  endAll(): void {
    for (const tid of [...this.#threads.keys()]) this.update(tid, null);
  }

  #wait(tid: number, running: Running, leastMs: number): void {
    const leftNs = this.#input.limitNs() - ranNs(running);
    const waitMs = Math.min(Math.max(Math.ceil(leftNs / 1e6), leastMs), MAX_TIMER_MS);
    running.timer = setTimeout(() => this.#onTimer(tid, running), waitMs);
    running.timer.unref();
  }

  #onTimer(tid: number, running: Running): void {
    const { limitNs, onSlow } = this.#input;
    const { startNs } = running;
    const durationNs = ranNs(running);
    running.timer = null;
    if (durationNs < limitNs()) return this.#wait(tid, running, 0);
    running.isTold = onSlow({ tid, startNs, endNs: startNs + durationNs });
    if (!running.isTold) this.#wait(tid, running, RETRY_MS);
  }
}

function ranNs({ knownNs }: Running): number {
  return Math.round(nowNs() - knownNs);
}

function nowNs(): number {
  return performance.now() * 1e6;
}
