/**
 * What the page of a snapshot says of why its call was slow.
 */
import { expect, test } from 'vitest';
import { countRows, whyText } from '../../../cli/answers/why-slow.js';
import type { SlowCall } from '../../../src/questions/latency/schema.js';

const counts = { instructions: 461, cycles: 699, ipc: 0.66, iterations: 2, minMhz: null, meanMhz: null };
const typical = { ...counts, calls: 15, instructions: 121, cycles: 189, ipc: 0.64, iterations: 0 };
const call: SlowCall = {
  ...{ tid: 1, pid: 1, comm: 'a', start: '1.000000000', durationNs: 100, isUnwound: false, outsideNs: 0, offCpuNs: 0 },
  differences: [],
};
const work: NonNullable<SlowCall['work']> = [
  { kind: 'page faults', count: 0, ns: null, averageCount: 0, averageNs: null },
  { kind: 'interrupts', count: 2, ns: 28_200, averageCount: 0.19, averageNs: 2420 },
  { kind: 'preemptions', count: 1, ns: 107e6, averageCount: 0.12, averageNs: 3.24e6 },
  { kind: 'migrations', count: 0, ns: null, averageCount: 0.003, averageNs: null },
];

test('the CPU and the kernel, next to what is typical; what did not happen is left out', () => {
  expect(whyText({ ...call, counts, work }, typical)).toBe(
    ' It took 461 instructions (typically 121), 699 cycles (189), 0.66 instructions per cycle (0.64), 2 iterations of its hottest loop (0).' +
      ' In the kernel: 2 interrupts for 28.2 µs (on average 0.19 for 2.42 µs), 1 preemption for 107 ms (0.12 for 3.24 ms), 0 migrations (0.003).',
  );
});

test('what is not known is not said', () => {
  expect(whyText(call, undefined)).toBe('');
  expect(whyText({ ...call, counts: { ...counts, cycles: null, ipc: null } }, undefined)).toBe(
    ' It took 461 instructions, 2 iterations of its hottest loop.',
  );
  expect(countRows(call, typical)).toEqual([]);
});
