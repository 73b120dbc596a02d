/**
 * Open calls are found by address as a walk down the stack finds them, whatever was pushed and popped in between.
 */
import { expect, test } from 'vitest';
import { Random } from '../../fuzz/random.js';
import { NONE } from '../../src/model/units.js';
import { OwnRows } from '../../src/replay/module-memory.js';
import { OpenCalls } from '../../src/replay/pairing/open-calls.js';
import { CallKind, endsAt, type OpenCall } from '../../src/replay/pairing/stacks.js';
import { CALL_BYTES } from '../../src/replay/wasm/layout.js';

const CASES = 60;
const STEPS = 400;
/** So few that calls share an address, and so near each other that a return may end several. */
const ADDRESSES = 200;

class Stack {
  private readonly unwound = new Set<number>();
  readonly open = new OpenCalls(new OwnRows(64 * CALL_BYTES), this.unwound);
  private cut: readonly OpenCall[] = [];
  private readonly indexes = new Map<number, number>();
  private row = 0;
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  change(): void {
    const { open, random } = this;
    const count = random.below(120);
    const index = Math.max(NONE, open.length - 1 - count);
    const what = random.below(6);
    if (what < 3) for (let at = 0; at < count; at++) this.push();
    else if (what === 3) this.cut = open.cutAbove(index);
    else if (what === 4)
      open.length = index + 1; // as the module does, which pushes calls, too
    else this.replaceBelowCut(index + 1);
  }

  /** Calls that were open before get their indexes back, above others than before. */
  private replaceBelowCut(length: number): void {
    const [lowest] = this.cut;
    const end = lowest === undefined ? 0 : (this.indexes.get(lowest.row) as number);
    this.open.length = Math.min(length, end);
    while (this.open.length < end) this.push();
    this.open.pushAgain(this.cut);
    this.cut = [];
  }

  private push(): void {
    const kind = this.random.oneIn(9) ? CallKind.KernelEntry : CallKind.Call;
    this.indexes.set(this.row, this.open.length);
    if (this.random.oneIn(9)) this.unwound.add(this.row);
    this.open.push(this.row++, 0x1000 + this.random.below(ADDRESSES) * 9, kind);
  }

  walk(to: number): number {
    for (let index = this.open.length - 1; index >= 0; index--) {
      const call = this.open.at(index);
      if (endsAt(call, to) && !this.unwound.has(call.row)) return index;
    }
    return NONE;
  }
}

test('open calls are found by address, however deep they are', () => {
  let deep = 0;
  let missing = 0;
  for (let number = 0; number < CASES; number++) {
    const random = new Random(17, number);
    const stack = new Stack(random);
    for (let step = 0; step < STEPS; step++) {
      stack.change();
      if (!random.oneIn(3)) continue;
      const to = 0x1000 + random.below(ADDRESSES * 10);
      const expected = stack.walk(to);
      expect(stack.open.findCaller(to, false)).toBe(expected);
      if (expected === NONE) missing++;
      else if (expected < stack.open.length - 64) deep++;
    }
  }
  expect(deep).toBeGreaterThan(1000);
  expect(missing).toBeGreaterThan(1000);
});
