import { expect, test } from 'vitest';
import { compare, frozenAfterMs, type Trigger, type TrueCall } from '../../bench/triggers/compare.js';

const MS = 1e6;
const AHEAD = 1000 * MS;

/** A call of the program, whose clock is ahead of perf's; `lateMs`: it was preempted before it returned. */
function callOf(atMs: number, ms: number, lateMs = 0): TrueCall {
  const [startNs, endNs] = [AHEAD + atMs * MS, AHEAD + (atMs + ms) * MS];
  const inner = { innerStartNs: startNs, innerEndNs: endNs };
  return {
    tid: 1,
    ...inner,
    outerStartNs: startNs - 1e3,
    outerEndNs: endNs + lateMs * MS + 1e3,
    hasThrown: false,
    cpuNs: 0,
  };
}

function triggerOf(endMs: number, file: string | null = null): Trigger {
  return { thread: 1, startNs: 0, endNs: endMs * MS, seenAfterNs: MS, file };
}

test('triggers belong to calls that ended then, also if they were preempted before they returned', () => {
  const calls = [callOf(0, 20), callOf(100, 20), callOf(200, 5, 30), callOf(300, 20), callOf(400, 5)];
  const triggers = [20, 120, 233, 405].map((ms) => triggerOf(ms));
  expect(compare(calls, triggers, 10 * MS)).toMatchObject({ calls: 5, slow: 3, triggers: 4, missed: 1, none: 1 });
});

test('a buffer is frozen after the end of the call that has a snapshot', () => {
  const triggers = [triggerOf(20, '0001.data'), triggerOf(21), triggerOf(50, '0002.data'), triggerOf(90, '0003.data')];
  expect(frozenAfterMs(triggers, [21 * MS, 53 * MS])).toEqual([1, 3]);
});
