/**
 * Decides which triggers get a snapshot and which snapshots stay: the slowest, within a budget of files. No clock, no files.
 */
import type { Call } from './calls.js';

export interface PolicyOptions {
  /** Number of snapshots to keep; the slowest. */
  readonly keep: number;
  /** What their files may take on disk; the slowest stays if it alone takes more. Default: as much as they take. */
  readonly keepBytes?: number;
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
  readonly bytes: number;
  /** The buffer was frozen before. */
  readonly writtenNs: number;
}

export class Policy {
  readonly #options: PolicyOptions;
  readonly #kept: Kept[] = []; // the slowest first
  /** null in it: nobody wants the snapshot. */
  #ordered: { readonly call: Call | null } | null = null;
  readonly #bytesOf = new Map<string, number>();
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

  /** Calls that last no longer get no snapshot. */
  get leastNs(): number {
    const { keep, keepBytes } = this.#options;
    const fastest = this.#kept.at(-1);
    const isFull =
      this.#kept.length >= keep ||
      (keepBytes !== undefined && this.#keptBytes() + (this.#previous?.bytes ?? 0) > keepBytes);
    return isFull && fastest !== undefined ? durationOf(fastest.call) : Number.NEGATIVE_INFINITY;
  }

  /** Call it when the call ends, or while it runs. Returns null if a snapshot shall be ordered now: it counts as ordered then. */
  onTrigger(call: Call): Refusal | null {
    const { everyNs } = this.#options;
    if (durationOf(call) <= this.leastNs) return 'faster';
    if (this.#ordered !== null) return 'busy';
    if (call.endNs - this.#lastNs < everyNs) return 'too soon';
    this.#lastNs = call.endNs;
    this.#ordered = { call };
    return null;
  }

  /** A call has ended whose snapshot was ordered, and may be written, while it ran. */
  onEnded(call: Call): void {
    if (isSame(this.#ordered?.call, call)) this.#ordered = { call };
    const at = this.#kept.findIndex((kept) => isSame(kept.call, call));
    const [kept] = at < 0 ? [] : this.#kept.splice(at, 1);
    if (kept !== undefined) this.#insert({ ...kept, call });
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

  /**
   * perf wrote what was ordered; `nowNs` is on the clock of calls. Returns what it is kept as (null: not kept), and which files
   * nobody needs any more.
   */
  onWritten(
    file: string,
    nowNs: number,
    bytes: number,
  ): { readonly kept: Kept | null; readonly unneeded: readonly string[] } {
    const ordered = this.#ordered;
    this.#ordered = null;
    const before = this.#previous;
    this.#previous = { file, writtenNs: nowNs, bytes };
    this.#bytesOf.set(file, bytes);
    const call = ordered?.call ?? null;
    const files = [file, ...(before === null ? [] : [before.file]), ...this.#files()];
    const kept = call && {
      call,
      file,
      before: before !== null && call.startNs < before.writtenNs ? before.file : null,
    };
    if (kept !== null) this.#insert(kept);
    const needed = new Set([...this.#files(), ...(this.#previous === null ? [] : [this.#previous.file])]);
    const unneeded = [...new Set(files)].filter((each) => !needed.has(each));
    for (const each of unneeded) this.#bytesOf.delete(each);
    return { kept, unneeded };
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
    const { keep, keepBytes = Number.POSITIVE_INFINITY } = this.#options;
    while (this.#kept.length > 1 && (this.#kept.length > keep || this.#keptBytes() > keepBytes)) this.#kept.pop();
  }

  #keptBytes(): number {
    return [...new Set(this.#files())].reduce((sum, file) => sum + (this.#bytesOf.get(file) ?? 0), 0);
  }
}

/** One may have ended since. */
function isSame(a: Call | null | undefined, b: Call): boolean {
  return a?.tid === b.tid && a.startNs === b.startNs;
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
