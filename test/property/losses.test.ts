/**
 * Losses in the middle of a known execution. Each loss removes steps after which the thread is back on the same frames,
 * so the truth about the rest is known: open calls are still open, and nothing else has changed.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowsByPath, sorted } from '../helpers/checks/rows.js';
import type { TruthRow } from '../helpers/random/execution.js';
import { times } from '../helpers/random/times.js';
import { analyzeText } from '../helpers/traces/load.js';

/** `fn`: the called function; null: a return. */
interface Step {
  readonly fn: number | null;
  readonly ns: number;
}

/** Calls and returns, and finally returns from all calls, so that addresses confirm each stack. */
const steps: fc.Arbitrary<Step[]> = fc
  .array(fc.record({ isCall: fc.boolean(), fn: fc.nat(4), ns: fc.constantFrom(1, 7, 100) }), {
    minLength: 3,
    maxLength: 80,
  })
  .map((choices) => {
    const all: Step[] = [];
    let depth = 0;
    for (const { isCall, fn, ns } of choices) {
      depth += isCall || depth === 0 ? 1 : -1;
      all.push({ fn: depth > depthAfter(all) ? fn : null, ns });
    }
    while (depth-- > 0) all.push({ fn: null, ns: 1 });
    return all;
  });

function depthAfter(done: readonly Step[]): number {
  return done.reduce((depth, { fn }) => depth + (fn === null ? -1 : 1), 0);
}

const losses = fc.array(
  fc.record({ before: fc.integer({ min: 1, max: 20 }), steps: fc.nat(60), isReported: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

test('changes nothing after a loss in which the thread came back to the same frames', async () => {
  await fc.assert(
    fc.asyncProperty(steps, losses, fc.boolean(), async (run, cuts, hasOwnAddresses) => {
      const thread = new Thread(hasOwnAddresses);
      let next = 0;
      for (const { before, steps: max, isReported } of cuts) {
        for (const step of run.slice(next, next + before)) thread.do(step);
        next = Math.min(next + before, run.length);
        const end = endOfExcursion(run, next, max);
        if (end > next) thread.lose(run.slice(next, end), isReported);
        next = end;
      }
      for (const step of run.slice(next)) thread.do(step);
      const profile = await analyzeText(thread.finish());
      expect(sorted(rowsByPath(profile))).toEqual(sorted(thread.truth));
    }),
    { numRuns: times(150) },
  );
});

/** Returns the last position, up to `length` steps on, at which the same frames are open as before `first`. */
function endOfExcursion(run: readonly Step[], first: number, length: number): number {
  let end = first;
  let depth = 0;
  for (let index = first; index < run.length && index < first + length; index++) {
    depth += run[index]?.fn === null ? -1 : 1;
    if (depth < 0) break;
    if (depth === 0) end = index + 1;
  }
  return end;
}

interface Frame {
  readonly fn: number;
  readonly path: string;
  readonly entryNs: number;
  readonly callIp: number;
  isInferred: boolean;
}

/** Writes the trace of its steps and keeps the truth about them. */
class Thread {
  readonly truth = new Map<string, TruthRow>();
  private readonly lines = ['1 [000] 1.000000000:   tr strt   0 [unknown] => 400000 f0+0x0'];
  private readonly frames: Frame[] = [{ fn: 0, path: 'f0', entryNs: 0, callIp: 0, isInferred: true }];
  private nowNs = 0;
  private calls = 0;
  private readonly hasOwnAddresses: boolean;

  /** `hasOwnAddresses`: each call has its own instruction; otherwise calls of a function share one, as in recursion. */
  constructor(hasOwnAddresses: boolean) {
    this.hasOwnAddresses = hasOwnAddresses;
  }

  do({ fn, ns }: Step): void {
    this.row(this.top.path).selfNs += ns;
    this.nowNs += ns;
    if (fn === null) this.return();
    else this.call(fn);
  }

  /** `isReported`: perf reports the loss. */
  lose(steps: readonly Step[], isReported: boolean): void {
    if (isReported)
      this.print(' instruction trace error type 1 time TIME cpu 0 pid 1 tid 1 ip 0 code 8: Lost trace data');
    const ns = steps.reduce((sum, step) => sum + step.ns, 0);
    this.nowNs += ns;
    const lost = this.row(`${this.top.path};[lost]`);
    lost.calls++;
    lost.selfNs += ns;
    lost.completeNs += ns;
    for (const frame of this.frames) frame.isInferred = true;
    this.print(`1 [000] TIME:   tr strt   0 [unknown] => ${location(this.top.fn, 0x8000)}`);
  }

  finish(): string {
    this.close();
    return this.lines.map((line) => `${line}\n`).join('');
  }

  private call(fn: number): void {
    const callIp = 0x10 + 16 * (this.hasOwnAddresses ? this.calls++ : fn);
    this.print(`1 [000] TIME:   call   ${location(this.top.fn, callIp)} => ${location(fn, 0)}`);
    this.frames.push({ fn, path: `${this.top.path};f${fn}`, entryNs: this.nowNs, callIp, isInferred: false });
  }

  private return(): void {
    const { fn, callIp } = this.close();
    this.print(`1 [000] TIME:   return   ${location(fn, 0x9000)} => ${location(this.top.fn, callIp + 5)}`);
  }

  private close(): Frame {
    const frame = this.frames.pop() as Frame;
    const row = this.row(frame.path);
    row.calls++;
    if (frame.isInferred) row.inferred++;
    else row.completeNs += this.nowNs - frame.entryNs;
    return frame;
  }

  private get top(): Frame {
    return this.frames.at(-1) as Frame;
  }

  private row(path: string): TruthRow {
    let row = this.truth.get(path);
    if (row === undefined) this.truth.set(path, (row = { calls: 0, inferred: 0, selfNs: 0, completeNs: 0 }));
    return row;
  }

  private print(line: string): void {
    this.lines.push(line.replace('TIME', `1.${String(this.nowNs).padStart(9, '0')}`));
  }
}

function location(fn: number, offset: number): string {
  return `${(0x400000 + fn * 0x10000 + offset).toString(16)} f${fn}+0x${offset.toString(16)}`;
}
