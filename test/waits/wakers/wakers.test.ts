/**
 * Who ended a wait, if the source does not say in which context the waker was noted, and single cases of holders.
 */
import { expect, it } from 'vitest';
import { SampleContext, SwitchKind } from '../../../src/model/sample-table.js';
import { WakerKind } from '../../../src/waits/find-wakers.js';
import { lockWaitsOf } from '../../../src/waits/locks/lock-waits.js';
import { waitsOf } from '../../../src/waits/waits.js';
import { inputOf, type RecordedSample } from '../simulator/recorder.js';

const [WAITER, WAKER] = [7, 8];

function sample(event: string, timeNs: number, tid: number, values: Record<string, number>): RecordedSample {
  return { event, timeNs, tid, cpu: 0, context: SampleContext.Unknown, values };
}

const enter = (timeNs: number, tid: number, op: number, uaddr: number, val: number) =>
  sample('syscalls:sys_enter_futex', timeNs, tid, { op, uaddr, val, uaddr2: 0 });
const exit = (timeNs: number, tid: number, ret: number) => sample('syscalls:sys_exit_futex', timeNs, tid, { ret });
const waking = (tid: number, context: SampleContext = SampleContext.Unknown) => ({
  ...sample('sched:sched_waking', 500, tid, { pid: WAITER }),
  context,
});

/** The waiter waits for word 64 from 200 to 600. */
function wakerOf(...samples: RecordedSample[]): (number | string)[] {
  const switches = [
    { timeNs: 200, tid: WAITER, cpu: 0, kind: SwitchKind.Out },
    { timeNs: 600, tid: WAITER, cpu: 0, kind: SwitchKind.In },
  ];
  const { wakerKind, waker } = waitsOf(inputOf(samples, switches));
  return [wakerKind[0], waker[0]];
}

const waits = [enter(100, WAITER, 0x80, 64, 0), exit(700, WAITER, 0)];

it.each([
  [
    'a thread in a call that wakes this word',
    [...waits, enter(450, WAKER, 0x81, 64, 1), exit(550, WAKER, 1), waking(WAKER)],
    WakerKind.Thread,
  ],
  [
    'maybe a thread in a call for another word',
    [...waits, enter(450, WAKER, 0x81, 68, 1), waking(WAKER)],
    WakerKind.MaybeThread,
  ],
  [
    'maybe a thread whose call has ended',
    [...waits, enter(450, WAKER, 0x81, 64, 1), exit(480, WAKER, 1), waking(WAKER)],
    WakerKind.MaybeThread,
  ],
  ['an interrupt, if the call timed out', [waits[0], exit(700, WAITER, -110), waking(WAKER)], WakerKind.Interrupt],
  ['an interrupt of an idle CPU', [...waits, waking(0, SampleContext.Task)], WakerKind.Interrupt],
  ['an interrupt of the waiter itself', [...waits, waking(WAITER)], WakerKind.Interrupt],
  [
    'an interrupt, whomever it interrupted',
    [...waits, waking(WAKER, SampleContext.HardInterrupt)],
    WakerKind.Interrupt,
  ],
  ['not seen', waits, WakerKind.NotSeen],
] as const)('the waker is %s', (_, samples, kind) => {
  const isNamed = kind === WakerKind.Thread || kind === WakerKind.MaybeThread;
  expect(wakerOf(...samples)).toEqual([kind, isNamed ? WAKER : -1]);
});

it('a hold around a certain one begins after it: its thread was preempted before it got the lock', () => {
  const samples = [
    ...[enter(100, 1, 0x80, 64, 2), exit(200, 1, 0)], // comes back, and is preempted
    ...[enter(110, 2, 0x80, 64, 2), exit(300, 2, 0), enter(400, 2, 0x81, 64, 1), exit(410, 2, 0)],
    ...[enter(600, 1, 0x81, 64, 1), exit(610, 1, 0)],
  ];
  const input = inputOf(samples, []);
  const { holds } = lockWaitsOf(waitsOf(input), input.samples);
  expect([...holds.tid]).toEqual([2, 1]);
  expect([...holds.fromNs]).toEqual([300, 600]);
  expect([...holds.isFromKnown]).toEqual([1, 0]);
});
