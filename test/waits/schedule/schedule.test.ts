/**
 * From switches to the times a thread was off the CPU: written as `out`, `pre` and `in` (records), `S`, `R`, `X` and
 * `next` (samples of sched_switch), each with a time in microseconds and a CPU.
 */
import { describe, expect, it } from 'vitest';
import { SwitchKind } from '../../../src/model/sample-table.js';
import { OffState, scheduleOf } from '../../../src/waits/schedule.js';
import type { RecordedSwitch } from '../helpers/switch-columns.js';
import { inputOf, type RecordedSample } from '../simulator/recorder.js';

const TID = 7;
const OTHER = 8;
const KINDS: Record<string, SwitchKind> = { in: SwitchKind.In, out: SwitchKind.Out, pre: SwitchKind.Preempted };
const STATES = Object.fromEntries(Object.entries(OffState).map(([name, state]) => [state, name.toLowerCase()]));

function offTimes(text: string, span?: { readonly startNs: number; readonly endNs: number }): string[] {
  const samples: RecordedSample[] = [];
  const switches: RecordedSwitch[] = [];
  for (const word of text.split(' ')) {
    const [what, us, cpu = '0'] = word.split(/[@/]/);
    const moment = { timeNs: Number(us) * 1000, cpu: Number(cpu) };
    if (what in KINDS) switches.push({ ...moment, tid: TID, kind: KINDS[what] });
    else samples.push(sampleOf(what, moment));
  }
  const threads = span ? [{ tid: TID, ...span }] : [];
  const { tids, starts, outNs, inNs, state, isOpen } = scheduleOf({ ...inputOf(samples, switches), threads });
  const thread = tids.indexOf(TID);
  const rows = [...outNs.keys()].slice(starts[thread], starts[thread + 1]);
  return rows.map(
    (row) => `${outNs[row] / 1000}-${inNs[row] / 1000} ${STATES[state[row]]}${isOpen[row] ? ' open' : ''}`,
  );
}

function sampleOf(what: string, moment: { timeNs: number; cpu: number }): RecordedSample {
  const isIn = what === 'next';
  const values = { prev_state: isIn ? 'S' : what, next_pid: isIn ? TID : OTHER };
  return { event: 'sched:sched_switch', ...moment, tid: isIn ? OTHER : TID, context: 1, values };
}

describe('a switch', () => {
  it.each([
    ['is known from records alone', 'in@1 out@5 in@9 pre@20 in@21', ['5-9 blocked', '20-21 preempted']],
    ['is known from samples alone', 'next@1 S@5 next@9 R@20 next@21', ['5-9 blocked', '20-21 preempted']],
    ['that both noted counts when it was noted first', 'in@1 S@5 out@6 next@8 in@9', ['5-8 blocked']],
    [
      'is one if its record has no CPU',
      'in@1/-1 S@5/1 out@6/-1 in@9/-1 R@12/0 pre@13/-1 in@15/-1',
      ['5-9 blocked', '12-15 preempted'],
    ],
    ['has the state that the sample knows', 'in@1 out@5 R@6 in@9', ['5-9 preempted']],
    [
      'that was noted late does not end the next stay',
      'in@1/0 S@5/0 in@7/1 out@8/0 out@20/1 in@30/0',
      ['5-7 blocked', '20-30 blocked'],
    ],
    ['that is the last one of a thread leaves no wait', 'in@1 X@5 out@6', []],
    ['to a zombie is the last one, too', 'in@1 Z@5 out@6', []],
    ['noted on two CPUs is two', 'in@1/0 out@5/0 S@6/1 in@9/1', ['5-6 unknown', '6-9 blocked']],
    [
      'is a preemption whether perf prints R or R+',
      'next@1 R+@5 next@9 R@11 next@12',
      ['5-9 preempted', '11-12 preempted'],
    ],
    ['in twice leaves unknown time', 'in@1 in@5 out@7 in@8', ['1-5 unknown', '7-8 blocked']],
    ['out twice leaves unknown time', 'in@1 out@5 out@7 in@8', ['5-7 unknown', '7-8 blocked']],
    ['out that is only noted by samples leaves unknown time', 'S@5 S@7 S@9', ['5-7 unknown', '7-9 unknown']],
    [
      'noted twice, a second apart, is two',
      'in@1 S@5 out@1000005 in@1000009',
      ['5-1000005 unknown', '1000005-1000009 blocked'],
    ],
  ])('%s', (_, text, expected) => {
    expect(offTimes(text)).toEqual(expected);
  });
});

describe('before its first switch, a thread', () => {
  const woken: RecordedSample = {
    event: 'sched:sched_waking',
    ...{ timeNs: 4000, cpu: 1, tid: OTHER, context: 1 },
    values: { comm: 'it', pid: TID },
  };
  const firstIn = [{ timeNs: 5000, cpu: 0, tid: TID, kind: SwitchKind.In }];
  const threads = [{ tid: TID, startNs: 1000, endNs: 9000 }];
  const stateWith = (wakings: RecordedSample[], lost: readonly { fromNs: number; toNs: number }[] = []) => {
    const { outNs, state } = scheduleOf({ ...inputOf(wakings, firstIn), threads, lost });
    return [outNs[0], STATES[state[0]]];
  };

  it('was blocked if it is woken then', () => expect(stateWith([woken])).toEqual([1000, 'blocked']));
  it('may have run if it is not', () => expect(stateWith([])).toEqual([1000, 'unknown']));
  it('may have run if it is woken only later', () =>
    expect(stateWith([{ ...woken, timeNs: 6000 }])).toEqual([1000, 'unknown']));
  it('may have run if samples were lost', () =>
    expect(stateWith([woken], [{ fromNs: 2000, toNs: 3000 }])).toEqual([1000, 'unknown']));
});

it('ends the last wait with the thread or the recording', () => {
  expect(offTimes('in@1 out@5 S@30', undefined)).toEqual(['5-30 blocked open']);
  expect(offTimes('in@1 out@5 next@9', { startNs: 0, endNs: 40_000 })).toEqual(['0-1 unknown', '5-9 blocked']);
  expect(offTimes('in@1 out@5', { startNs: 1000, endNs: 40_000 })).toEqual(['5-40 blocked open']);
  expect(offTimes('in@1 out@5', { startNs: 1000, endNs: 5000 })).toEqual([]);
});

it('knows nothing of the end where most switches in are missing', () => {
  const span = { startNs: 1000, endNs: 40_000 };
  expect(offTimes('in@1 out@5 out@7', span)).toEqual(['5-7 unknown', '7-40 blocked open']);
  expect(offTimes('out@5 out@7', span)).toEqual(['5-7 unknown', '7-40 unknown open']);
});

it('reads states as letters and as the bits of the kernel', () => {
  const states = [0, 0x100, 1, 2, 0x10, 0x20];
  const became = states.map((prev_state) => {
    const values = { prev_state, next_pid: OTHER };
    const sample = { event: 'sched:sched_switch', timeNs: 5000, tid: TID, cpu: 0, context: 1, values } as const;
    const switches = [{ timeNs: 9000, tid: TID, cpu: 0, kind: SwitchKind.In }];
    return scheduleOf(inputOf([sample], switches)).state[0];
  });
  const { Blocked, Preempted, Unknown } = OffState;
  expect(became).toEqual([Preempted, Preempted, Blocked, Blocked, Unknown, Unknown]);
});
