import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Call, Calls, type Hit } from '../../../cli/record/trigger/calls.js';

const entry = (timeNs: number, stackPointer: number, tid = 1): Hit => ({ tid, timeNs, stackPointer, at: 'entry' });
const end = (timeNs: number, stackPointer: number, tid = 1): Hit => ({ tid, timeNs, stackPointer, at: 'end' });

function callsOf(...hits: readonly Hit[]): Call[] {
  const calls = new Calls();
  return hits.map((hit) => calls.add(hit)).filter((call) => call !== null);
}

describe('outermost calls', () => {
  test('of one thread, and of two at once', () => {
    expect(callsOf(entry(1, 90), end(5, 90))).toEqual([{ tid: 1, startNs: 1, endNs: 5 }]);
    expect(callsOf(entry(1, 90), entry(2, 90, 2), end(5, 90), end(9, 90, 2))).toEqual([
      { tid: 1, startNs: 1, endNs: 5 },
      { tid: 2, startNs: 2, endNs: 9 },
    ]);
  });

  test('under recursion', () => {
    const hits = [entry(1, 90), entry(2, 80), entry(3, 70), end(4, 70), end(5, 80), end(9, 90)];
    expect(callsOf(...hits)).toEqual([{ tid: 1, startNs: 1, endNs: 9 }]);
  });

  test('are over if the function is called as high up again: an exception left them', () => {
    expect(callsOf(entry(1, 90), entry(10, 90), end(12, 90))).toEqual([{ tid: 1, startNs: 10, endNs: 12 }]);
    expect(callsOf(entry(1, 90), entry(2, 80), entry(10, 95), end(12, 95))).toEqual([
      { tid: 1, startNs: 10, endNs: 12 },
    ]);
  });

  test('are one if an exception leaves only what they call', () => {
    expect(callsOf(entry(1, 90), entry(2, 80), entry(3, 80), end(4, 80), end(9, 90))).toEqual([
      { tid: 1, startNs: 1, endNs: 9 },
    ]);
  });

  test('are not those within one that is complete, whose hits of another CPU are late', () => {
    expect(callsOf(entry(1, 90), end(9, 90), entry(3, 80), end(4, 80))).toEqual([{ tid: 1, startNs: 1, endNs: 9 }]);
  });

  test('are forgotten when the thread ends', () => {
    const calls = new Calls();
    calls.add(entry(1, 90));
    calls.end(1);
    expect(calls.add(end(5, 90))).toBeNull();
    expect(calls.threadCount).toBe(1);
  });

  test('no more threads are remembered than programs have', () => {
    const calls = new Calls();
    for (let tid = 1; tid <= 150_000; tid++) calls.add(entry(tid, 90, tid));
    expect(calls.threadCount).toBe(100_000);
  });
});

describe('a call that was left by an exception, when the next ones are deeper in the stack', () => {
  test('hides them until the function is called as high up again: then the longest is known', () => {
    const hidden = [entry(1, 90), entry(10, 70), end(30, 70), entry(40, 60), end(45, 60)];
    expect(callsOf(...hidden)).toEqual([]);
    expect(callsOf(...hidden, entry(50, 90), end(51, 90))).toEqual([
      { tid: 1, startNs: 10, endNs: 30 },
      { tid: 1, startNs: 50, endNs: 51 },
    ]);
  });

  test('hides them until the thread ends', () => {
    const calls = new Calls();
    for (const hit of [entry(1, 90), entry(10, 70), end(30, 70)]) calls.add(hit);
    expect(calls.end(1)).toEqual({ tid: 1, startNs: 10, endNs: 30 });
  });

  test('is not what recursion is', () => {
    const calls = new Calls();
    for (const hit of [entry(1, 90), entry(10, 70), end(30, 70), end(31, 90)]) calls.add(hit);
    expect(calls.end(1)).toBeNull();
  });
});

interface Made {
  readonly hits: Hit[];
  /** Outermost calls that return, and that no call encloses which was left before. */
  readonly calls: Call[];
}

/** Calls of a thread from random heights of its stack, some recursive, some left by an exception. */
function makeThread(shapes: readonly (readonly [depth: number, leaves: boolean, height: number])[]): Made {
  const made: Made = { hits: [], calls: [] };
  let timeNs = 0;
  let leftAt = Number.NEGATIVE_INFINITY;
  for (const [depth, leaves, height] of shapes) {
    const startNs = ++timeNs;
    const top = 1000 + 100 * height;
    if (top >= leftAt) leftAt = Number.NEGATIVE_INFINITY;
    for (let level = 0; level < depth; level++)
      made.hits.push(entry(level === 0 ? startNs : ++timeNs, top - 10 * level));
    if (leaves) leftAt = Math.max(leftAt, top);
    else {
      for (let level = depth; level-- > 0; ) made.hits.push(end(++timeNs, top - 10 * level));
      if (leftAt === Number.NEGATIVE_INFINITY) made.calls.push({ tid: 1, startNs, endNs: timeNs });
    }
  }
  return made;
}

test('random calls from random heights, some left by exceptions: all outermost ones, and of the hidden ones only such as were', () => {
  const shape = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.integer({ min: 0, max: 5 }));
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 30 }), (shapes) => {
      const { hits, calls } = makeThread(shapes);
      const found = callsOf(...hits);
      expect(found).toEqual(expect.arrayContaining(calls));
      const starts = new Map(hits.map((each) => [each.timeNs, each]));
      for (const { startNs, endNs } of found)
        expect([starts.get(startNs)?.stackPointer, starts.get(endNs)?.at]).toEqual([
          starts.get(endNs)?.stackPointer,
          'end',
        ]);
    }),
  );
});

test('hits of another CPU may arrive late: the same calls, if a hit overtakes no more than its neighbour', () => {
  const shape = fc.tuple(fc.constant(1), fc.constant(false), fc.constant(0));
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 30 }), fc.infiniteStream(fc.boolean()), (shapes, swaps) => {
      const { hits, calls } = makeThread(shapes);
      for (let at = 0; at + 1 < hits.length; at += 2)
        if (swaps.next().value) [hits[at], hits[at + 1]] = [hits[at + 1] as Hit, hits[at] as Hit];
      expect(callsOf(...hits)).toEqual(calls);
    }),
  );
});
