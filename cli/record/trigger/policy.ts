/**
 * Decides which triggers get a snapshot and which snapshots stay: the slowest, within a budget of files. No clock, no files.
 */
import type { Call } from './calls.js';

export interface PolicyOptions {
  /** Number of snapshots to keep; the slowest. */
  readonly keep: number;
  /** The least time between snapshots. */
  readonly everyNs: number;
}

/** Why a trigger has no snapshot. */
export type Refusal = 'faster' | 'too soon' | 'busy';

export interface Kept {
  readonly call: Call;
  readonly file: string;
  /** The snapshot before, if the call began in it; null: it is all in its own. */
  readonly before: string | null;
}

interface Snapshot {
  readonly file: string;
  /** The buffer was frozen before. */
  readonly writtenNs: number;
}

export class Policy {
  readonly #options: PolicyOptions;
  readonly #kept: Kept[] = []; // the slowest first
  /** null in it: nobody wants the snapshot. */
  #ordered: { readonly call: Call | null } | null = null;
  #previous: Snapshot | null = null;
  #lastNs = Number.NEGATIVE_INFINITY;

  constructor(options: PolicyOptions) {
    this.#options = options;
  }

  /** The slowest first. */
  get kept(): readonly Kept[] {
    return this.#kept;
  }

  get isBusy(): boolean {
    return this.#ordered !== null;
  }

  /** Call it when the call ends. Returns null if a snapshot shall be ordered now: it counts as ordered then. */
  onTrigger(call: Call): Refusal | null {
    const { keep, everyNs } = this.#options;
    const fastest = this.#kept[keep - 1];
    if (fastest !== undefined && durationOf(call) <= durationOf(fastest.call)) return 'faster';
    if (this.#ordered !== null) return 'busy';
    if (call.endNs - this.#lastNs < everyNs) return 'too soon';
    this.#lastNs = call.endNs;
    this.#ordered = { call };
    return null;
  }

  /** Orders a snapshot that nobody wants, so that the file with the records between snapshots stays small. */
  onGrown(): boolean {
    if (this.#ordered !== null) return false;
    this.#ordered = { call: null };
    return true;
  }

  /** perf did not write it. Returns the call that has no snapshot. */
  onFailed(): Call | null {
    const call = this.#ordered?.call ?? null;
    this.#ordered = null;
    return call;
  }

  /** perf wrote what was ordered; `nowNs` is on the clock of calls. Returns what it is kept as (null: not kept), and which files nobody needs any more. */
  onWritten(file: string, nowNs: number): { readonly kept: Kept | null; readonly unneeded: readonly string[] } {
    const ordered = this.#ordered;
    this.#ordered = null;
    const before = this.#previous;
    this.#previous = { file, writtenNs: nowNs };
    const call = ordered?.call ?? null;
    const files = [file, ...(before === null ? [] : [before.file]), ...this.#files()];
    const kept = call && {
      call,
      file,
      before: before !== null && call.startNs < before.writtenNs ? before.file : null,
    };
    if (kept !== null) this.#insert(kept);
    const needed = new Set([...this.#files(), ...(this.#previous === null ? [] : [this.#previous.file])]);
    return { kept, unneeded: [...new Set(files)].filter((each) => !needed.has(each)) };
  }

  /** Returns the last file if no kept call needs it. Call it at the end. */
  unneededAtEnd(): string | null {
    const last = this.#previous?.file ?? null;
    return last === null || this.#files().includes(last) ? null : last;
  }

  #files(): string[] {
    return this.#kept.flatMap(({ file, before }) => (before === null ? [file] : [file, before]));
  }

  #insert(kept: Kept): void {
    const at = this.#kept.findIndex(({ call }) => durationOf(call) < durationOf(kept.call));
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, kept);
    this.#kept.length = Math.min(this.#kept.length, this.#options.keep);
  }
}

export function durationOf({ startNs, endNs }: Call): number {
  return endNs - startNs;
}

/** What a hit takes from the target: the trap, and the wakening of perf, which reads it at once. docs/recording.md has the figures. */
export const NS_PER_HIT = 35_000;
const WINDOW_NS = 1e9;

/** Adds up what hits cost the target, a second at a time. */
export class Budget {
  /** Part of a CPU: 0.02. */
  readonly #maxCost: number;
  #startNs = Number.NEGATIVE_INFINITY;
  #hits = 0;

  constructor(maxCost: number) {
    this.#maxCost = maxCost;
  }

  /** Returns the part of a CPU that hits took, if it was too much; else null. The first second counts as a whole. */
  onHit(timeNs: number): number | null {
    if (timeNs - this.#startNs >= WINDOW_NS) {
      this.#startNs = timeNs;
      this.#hits = 0;
    }
    const cost = (++this.#hits * NS_PER_HIT) / WINDOW_NS;
    return cost > this.#maxCost ? cost : null;
  }
}
