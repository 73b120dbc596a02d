/**
 * A pool of shared memory in which workers count durations of calls: each work space has a histogram, so that nothing is sent
 * until the end. Counts add up in any order.
 */
import {
  type DurationBlocks,
  DurationsBuilder,
  type HistogramMemory,
  sharedHistogramMemory,
} from '../../model/calls/durations.js';

/** With more functions a histogram would be too large, although most of it would never be touched. */
const MAX_SYMBOLS = 50_000;

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
