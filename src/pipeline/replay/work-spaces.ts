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
import { EVENT_BYTES } from '../../model/trace/thread-events.js';
import { pairedPageBytes } from '../../replay/pairing/pairing.js';
import { type ThreadMemory, threadBytes } from '../../trace/load-thread.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import type { WorkSizes } from '../workers/resources.js';

export interface WorkSpace {
  /** For a thread's events. */
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  /** In which to count durations; null if not requested, or if each thread returns its own. */
  readonly histogram: HistogramMemory | null;
}

/** What the rows of a thread may take in memory, in pages of so many; the others are in a file, or are read again. */
export interface RowLimit extends Pick<WorkSizes, 'threadBytes' | 'readAgainBytes' | 'pageRows'> {
  /** For its events, and for what pairing finds for each. */
  readonly memoryBytes: number;
}

/** The rest is for what pairing finds for each event. */
const EVENTS_SHARE = 2 / 3;

/** What the rows of a thread take in memory: two pages of events at least, and a page of what pairing finds. */
export type RowSpaces = Pick<ThreadMemory, 'pageRows' | 'mostBytes' | 'pairedPages'> & { readonly eventBytes: number };

export function spaceFor(source: ThreadSource, limit: RowLimit): RowSpaces {
  const { memoryBytes, threadBytes: most, readAgainBytes, pageRows } = limit;
  const pageBytes = EVENT_BYTES * pageRows;
  const keptBytes = pageBytes * Math.max(2, Math.floor(Math.min(EVENTS_SHARE * memoryBytes, most) / pageBytes));
  const mostBytes = Math.min(keptBytes, readAgainBytes);
  const eventBytes = threadBytes(source, { pageRows, mostBytes }, keptBytes);
  const pairedPages = Math.floor(Math.min(memoryBytes - eventBytes, most) / pairedPageBytes(pageRows));
  return { eventBytes, mostBytes, pageRows, pairedPages: Math.max(1, pairedPages) };
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

  private constructor(private readonly symbols: number) {}

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
