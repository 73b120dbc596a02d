/**
 * How often functions went on with another stack of their thread: that of a fiber, a coroutine or a goroutine. Stacks are
 * known by the function that they begin with.
 */
import { NONE, type SymbolId } from '../units.js';

/** Columns, in the order of the first time. */
export interface Resumptions {
  readonly stack: readonly SymbolId[];
  readonly by: readonly SymbolId[];
  readonly times: readonly number[];
}

export class ResumptionCounter {
  private readonly rows = new Map<SymbolId, Map<SymbolId, number>>();
  private readonly stack: SymbolId[] = [];
  private readonly by: SymbolId[] = [];
  private readonly times: number[] = [];

  add(stack: SymbolId, by: SymbolId, times: number = 1): void {
    let rows = this.rows.get(stack);
    if (rows === undefined) this.rows.set(stack, (rows = new Map()));
    const row = rows.get(by);
    if (row !== undefined) {
      this.times[row] += times;
      return;
    }
    rows.set(by, this.stack.push(stack) - 1);
    this.by.push(by);
    this.times.push(times);
  }

  /** undefined: there are none. */
  build(): Resumptions | undefined {
    const { stack, by, times } = this;
    return stack.length === 0 ? undefined : { stack, by, times };
  }
}

/** Numbers the symbols anew. Rows of symbols without a number are left out. */
export function renumberedResumptions(
  { stack, by, times }: Resumptions,
  numberOf: Int32Array,
): Resumptions | undefined {
  const counter = new ResumptionCounter();
  for (const [row, count] of times.entries()) {
    const [stackNumber, byNumber] = [numberOf[stack[row] as SymbolId], numberOf[by[row] as SymbolId]];
    if (stackNumber !== NONE && byNumber !== NONE) counter.add(stackNumber, byNumber, count);
  }
  return counter.build();
}
