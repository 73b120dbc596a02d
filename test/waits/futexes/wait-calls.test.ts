/**
 * In which futex call a thread waited, in single cases: calls without an end, lost samples, waits that are none.
 */
import { expect, test } from 'vitest';
import type { LostSpan } from '../../../src/model/sample-table.js';
import { CallCertainty } from '../../../src/waits/wait-calls.js';
import { waitsOf } from '../../../src/waits/waits.js';
import type { RecordedSwitch } from '../helpers/switch-columns.js';
import { inputOf, type RecordedSample } from '../simulator/recorder.js';

const [WAIT, WAKE, LOCK_PI] = [0x80, 0x81, 0x86];
const sample = (event: string, us: number, values: Record<string, number>): RecordedSample => {
  return { event, timeNs: us * 1000, tid: 1, cpu: 0, context: 1, values };
};
const enter = (us: number, op = WAIT) => sample('syscalls:sys_enter_futex', us, { uaddr: 64, op, val: 2, uaddr2: 0 });
const exit = (us: number) => sample('syscalls:sys_exit_futex', us, { ret: 0 });
const out = (us: number, kind: 1 | 2 = 1): RecordedSwitch => ({ timeNs: us * 1000, tid: 1, cpu: 0, kind });
const back = (us: number): RecordedSwitch => ({ timeNs: us * 1000, tid: 1, cpu: 0, kind: 0 });

/** Thread 2 runs later: the recording has not ended. */
const other: RecordedSwitch = { timeNs: 200_000, tid: 2, cpu: 1, kind: 0 };

/** The certainty of the call of each wait of thread 1. */
function certainties(samples: RecordedSample[], switches: RecordedSwitch[], lost: LostSpan[] = []): number[] {
  return [...waitsOf({ ...inputOf(samples, switches), lost }).callCertainty];
}

const { None, Likely, Certain } = CallCertainty;

test.each<[string, number[], RecordedSample[], RecordedSwitch[], LostSpan[]?]>([
  ['is one that lasted over the wait', [Certain], [enter(10), exit(30)], [out(12), back(28)]],
  ['is one for a lock that the kernel passes on', [Certain], [enter(10, LOCK_PI), exit(30)], [out(12), back(28)]],
  ['is none that wakes', [None], [enter(10, WAKE), exit(30)], [out(12), back(28)]],
  ['is none that ended before', [None], [enter(10), exit(11)], [out(12), back(28)]],
  ['is none that began after', [None], [enter(13), exit(30)], [out(12), back(28)]],
  [
    'is not known if samples were lost in between',
    [None],
    [enter(10), exit(30)],
    [out(14), back(28)],
    [{ fromNs: 11_000, toNs: 12_000 }],
  ],
  [
    'is known if samples were lost before',
    [Certain],
    [enter(10), exit(30)],
    [out(14), back(28)],
    [{ fromNs: 8000, toNs: 9000 }],
  ],
  ['is none if the thread was preempted', [None], [enter(10), exit(30)], [out(12, 2), back(28)]],
  ['is likely the last one, if ends are not recorded', [Likely], [enter(10)], [out(12), back(28)]],
  ['is none that began long before, if ends are not recorded', [None], [enter(10)], [out(112), back(128)]],
  ['is one wait only, if ends are not recorded', [Likely, None], [enter(10)], [out(12), back(28), out(30), back(40)]],
  [
    'is none without an end, if others have one',
    [None],
    [enter(1), exit(2), enter(10), enter(50), exit(51)],
    [out(12), back(28)],
  ],
  ['is the last one, if neither had ended', [Certain], [enter(1), exit(2), enter(10)], [out(12), other]],
  [
    'is no other one, if neither had ended, but it began long before',
    [None],
    [enter(1), exit(2), enter(10)],
    [out(112), other],
  ],
])('the call of a wait %s', (_, expected, samples, switches, lost) => {
  expect(certainties(samples, switches, lost)).toEqual(expected);
});
