import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../cli/record/trigger/calls.js';
import { Budget, durationOf, NS_PER_HIT, Policy } from '../../../cli/record/trigger/policy.js';

const S = 1e9;
const callOf = (endNs: number, durationNs: number): Call => ({ tid: 1, startNs: endNs - durationNs, endNs });

/** Runs calls; each snapshot is written `writeNs` after its call. Returns the files on disk at the end, and the most at once. */
function run(policy: Policy, calls: readonly Call[], writeNs = 1, bytes = 1) {
  const disk = new Set<string>();
  const refused = new Map<string, number>();
  let most = 0;
  let files = 0;
  for (const call of calls) {
    const why = policy.onTrigger(call);
    if (why !== null) {
      refused.set(why, (refused.get(why) ?? 0) + 1);
      continue;
    }
    const file = `${++files}`;
    disk.add(file);
    most = Math.max(most, disk.size);
    for (const each of policy.onWritten(file, call.endNs + writeNs, bytes).unneeded) disk.delete(each);
  }
  return { disk, refused, most, files };
}

describe('snapshots', () => {
  test('of the slowest calls are kept', () => {
    const policy = new Policy({ keep: 2, everyNs: 0 });
    const { disk, refused } = run(
      policy,
      [5, 9, 3, 7, 6].map((durationNs, row) => callOf((row + 1) * S, durationNs)),
    );
    expect(policy.kept.map(({ call }) => durationOf(call))).toEqual([9, 7]);
    expect(policy.kept.map(({ file }) => file)).toEqual(['2', '3']);
    expect(refused).toEqual(new Map([['faster', 2]]));
    expect([...disk]).toEqual(['2', '3']);
  });

  test('are not taken too soon after another, nor while one is written', () => {
    const policy = new Policy({ keep: 10, everyNs: S });
    expect(policy.onTrigger(callOf(10 * S, 5))).toBeNull();
    expect(policy.onTrigger(callOf(12 * S, 5))).toBe('busy');
    policy.onWritten('1', 12 * S, 1);
    expect(policy.onTrigger(callOf(10.5 * S, 5))).toBe('too soon');
    expect(policy.onTrigger(callOf(11 * S, 5))).toBeNull();
  });

  test('the one before stays if the call began in it', () => {
    const policy = new Policy({ keep: 1, everyNs: 0 });
    policy.onTrigger(callOf(10 * S, 5));
    policy.onWritten('1', 10 * S, 1);
    policy.onTrigger(callOf(12 * S, 3 * S));
    expect(policy.onWritten('2', 12 * S, 1)).toMatchObject({ kept: { file: '2', before: '1' }, unneeded: [] });
    policy.onTrigger(callOf(20 * S, 4 * S));
    expect(policy.onWritten('3', 20 * S, 1)).toMatchObject({ kept: { before: null }, unneeded: ['2', '1'] });
  });

  test('that perf did not write take no place', () => {
    const policy = new Policy({ keep: 1, everyNs: 0 });
    const call = callOf(S, 5);
    policy.onTrigger(call);
    expect(policy.onFailed()).toBe(call);
    expect(policy.kept).toEqual([]);
    expect(policy.onTrigger(callOf(2 * S, 1))).toBeNull();
  });

  test('taken only to keep the side-band small are removed when another follows', () => {
    const policy = new Policy({ keep: 3, everyNs: 0 });
    expect(policy.onGrown()).toBe(true);
    expect(policy.onGrown()).toBe(false);
    expect(policy.onWritten('1', S, 1)).toEqual({ kept: null, unneeded: [] });
    policy.onTrigger(callOf(9 * S, 5));
    expect(policy.onWritten('2', 9 * S, 1).unneeded).toEqual(['1']);
    expect(policy.unneededAtEnd()).toBeNull();
  });
});

describe('a limit of bytes', () => {
  const seconds = (durations: readonly number[]) => durations.map((ns, row) => callOf((row + 1) * S, ns));

  test('drops the fastest, and refuses faster ones once nothing more fits', () => {
    const policy = new Policy({ keep: Number.POSITIVE_INFINITY, keepBytes: 25, everyNs: 0 });
    const { disk, refused } = run(policy, seconds([5, 9, 3, 7, 6]), 1, 10);
    expect(policy.kept.map(({ call }) => durationOf(call))).toEqual([9, 7]);
    expect(disk).toEqual(new Set(['2', '3']));
    expect(refused).toEqual(new Map([['faster', 2]]));
  });

  test('counts a file once that two calls need', () => {
    const policy = new Policy({ keep: Number.POSITIVE_INFINITY, keepBytes: 30, everyNs: 0 });
    run(policy, [callOf(10 * S, 5), callOf(12 * S, 3 * S), callOf(14 * S, 3 * S)], 1, 10);
    expect(policy.kept).toHaveLength(3);
  });

  test('keeps the slowest even if it alone is larger', () => {
    const policy = new Policy({ keep: 10, keepBytes: 5, everyNs: 0 });
    run(policy, seconds([5, 9, 3]), 1, 10);
    expect(policy.kept.map(({ call }) => durationOf(call))).toEqual([9]);
  });
});

describe('a call that still runs', () => {
  test('counts by its whole duration once it has ended', () => {
    const policy = new Policy({ keep: 2, everyNs: 0 });
    policy.onTrigger({ tid: 1, startNs: S, endNs: S + 10 });
    policy.onWritten('1', 2 * S, 1);
    policy.onTrigger({ tid: 2, startNs: 3 * S, endNs: 3 * S + 20 });
    policy.onWritten('2', 4 * S, 1);
    expect([policy.kept[0]?.file, policy.leastNs]).toEqual(['2', 10]);
    policy.onEnded({ tid: 1, startNs: S, endNs: S + 30 });
    expect([policy.kept[0]?.file, policy.leastNs]).toEqual(['1', 20]);
  });

  test('counts so, too, if it ends while its snapshot is written', () => {
    const policy = new Policy({ keep: 2, everyNs: 0 });
    policy.onTrigger({ tid: 1, startNs: S, endNs: S + 10 });
    policy.onEnded({ tid: 1, startNs: S, endNs: S + 30 });
    expect(policy.onWritten('1', 2 * S, 1).kept?.call.endNs).toBe(S + 30);
  });
});

test('the slowest calls of any are kept, if none comes too soon', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 1e6 })), fc.integer({ min: 1, max: 8 }), (durations, keep) => {
      const policy = new Policy({ keep, everyNs: 0 });
      run(
        policy,
        durations.map((durationNs, row) => callOf((row + 1) * S, durationNs)),
      );
      const slowest = [...durations].sort((a, b) => b - a).slice(0, keep);
      expect(policy.kept.map(({ call }) => durationOf(call))).toEqual(slowest);
    }),
  );
});

test('a million triggers in eight hours: the disk has at most two files for each that is kept', () => {
  const policy = new Policy({ keep: 10, everyNs: S });
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed / 0x7fff_ffff;
  };
  const stepNs = (8 * 3600 * S) / 1e6;
  const calls = Array.from({ length: 1e6 }, (_, row) => callOf(row * stepNs, 1e7 * (1 - Math.log(random()))));
  const { disk, refused, most, files } = run(policy, calls, 7e7);
  expect(policy.kept).toHaveLength(10);
  expect(most).toBeLessThanOrEqual(22);
  expect(disk.size).toBeLessThanOrEqual(21);
  expect(files + [...refused.values()].reduce((sum, each) => sum + each, 0)).toBe(1e6);
});

describe('the budget', () => {
  test('is exceeded by too many hits in a second', () => {
    const budget = new Budget(0.02);
    const allowed = Math.floor((0.02 * S) / NS_PER_HIT);
    for (let hit = 0; hit < allowed; hit++) expect(budget.onHit(hit)).toBeNull();
    expect(budget.onHit(allowed)).toBeCloseTo(0.02, 3);
  });

  test('is not, by as many in two', () => {
    const budget = new Budget(0.02);
    const step = S / Math.floor((0.019 * S) / NS_PER_HIT);
    for (let hit = 0; hit < 10_000; hit++) expect(budget.onHit(hit * step)).toBeNull();
  });
});
