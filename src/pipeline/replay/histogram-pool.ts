/**
 * Memory in which threads of this program count how long calls took: it is lent to one task after the other, so that nothing has
 * to be sent but at the end. Counts add up in any order.
 */
import {
  type DurationBlocks,
  DurationsBuilder,
  type HistogramMemory,
  sharedHistogramMemory,
} from '../../model/calls/durations.js';

/** For more functions it would be too large, though hardly any of it is touched. */
const MAX_SYMBOLS = 50_000;

export class HistogramPool {
  private readonly free: HistogramMemory[] = [];
  private readonly created: HistogramMemory[] = [];
  private readonly symbols: number;

  private constructor(symbols: number) {
    this.symbols = symbols;
  }

  /** null if there are too many functions. */
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

  /** All that was counted, when everything was given back. */
  all(): DurationBlocks[] {
    return this.created.map((memory) => new DurationsBuilder({ memory }).blocks());
  }
}
