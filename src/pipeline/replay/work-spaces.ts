/**
 * Shared memory in which workers replay threads: a worker claims a space when it begins a thread, so that threads that
 * only wait for a worker need none.
 */
import {
  type DurationBlocks,
  DurationsBuilder,
  type HistogramMemory,
  sharedHistogramMemory,
} from '../../model/calls/durations.js';
import { assert } from '../../model/errors.js';

export interface WorkSpace {
  /** In which to order a thread's events. */
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  /** In which to count durations; null if not requested, or if each thread returns its own. */
  readonly histogram: HistogramMemory | null;
}

export interface WorkSpaces {
  readonly spaces: readonly WorkSpace[];
  /** By space: 1 while a worker uses it. */
  readonly claimed: Int32Array;
}

/** Allocates spaces; memory that no thread needs is never touched. */
export function workSpaces(histograms: readonly (HistogramMemory | null)[], bufferBytes: number): WorkSpaces {
  const spaces = histograms.map((histogram) => ({ buffer: new SharedArrayBuffer(bufferBytes), histogram }));
  return { spaces, claimed: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * spaces.length)) };
}

/** Works in a space that no other worker uses. There must be as many as tasks that run at the same time. */
export function inOwnSpace<Result>({ spaces, claimed }: WorkSpaces, work: (space: WorkSpace) => Result): Result {
  const own = claimed.findIndex((_, space) => Atomics.compareExchange(claimed, space, 0, 1) === 0);
  assert(own >= 0, 'more tasks than work spaces');
  try {
    return work(spaces[own]);
  } finally {
    Atomics.store(claimed, own, 0);
  }
}

/** With more functions a histogram would be too large, although most of it would never be touched. */
const MAX_SYMBOLS = 50_000;

/**
 * A pool of shared memory in which workers count durations of calls: each work space has a histogram, so that nothing is sent
 * until the end. Counts add up in any order.
 */
export class HistogramPool {
  private readonly free: HistogramMemory[] = [];
  private readonly created: HistogramMemory[] = [];
  private readonly symbols: number;

  private constructor(symbols: number) {
    this.symbols = symbols;
  }

  /** Returns null if there are too many functions. */
  static for(symbols: number): HistogramPool | null {
    return symbols > MAX_SYMBOLS ? null : new HistogramPool(symbols);
  }

  acquire(): HistogramMemory {
    const free = this.free.pop();
    if (free !== undefined) return free;
    const memory = sharedHistogramMemory(this.symbols);
    this.created.push(memory);
    return memory;
  }

  release(memory: HistogramMemory): void {
    this.free.push(memory);
  }

  /** Returns all counts; every histogram must have been released. */
  all(): DurationBlocks[] {
    return this.created.map((memory) => new DurationsBuilder({ memory }).blocks());
  }
}
