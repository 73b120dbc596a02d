/**
 * Who handed on the work that a thread took, and which parts a request has.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SampleContext, SwitchKind, tableOf } from '../../../src/model/sample-table.js';
import { NONE } from '../../../src/model/units.js';
import { HandOffBy, handOffsOf, pushesByKey, pushesByOrder, pushesByWaking } from '../../../src/waits/hand-offs.js';
import { joinRequests, type Parts } from '../../../src/waits/join-requests.js';
import { type Moments, momentsOf } from '../../../src/waits/moments.js';
import { waitsOf } from '../../../src/waits/waits.js';
import { type Recorded, recordEmulated, recordReal } from '../helpers/recorded.js';
import { aloneUntilNext } from '../helpers/work.js';
import { randomOf } from '../simulator/random-loads.js';
import { inputOf, type RecordedSample } from '../simulator/recorder.js';

function moments(rows: readonly (readonly [timeNs: number, tid: number, key?: number])[]): Moments {
  return {
    length: rows.length,
    timeNs: Float64Array.from(rows, ([timeNs]) => timeNs),
    tid: Int32Array.from(rows, ([, tid]) => tid),
    pid: new Int32Array(rows.length),
    key: Float64Array.from(rows, ([, , key]) => key ?? Number.NaN),
  };
}

describe('a hand-off', () => {
  it('is to the last one before with the same key, which is used up', () => {
    const pushes = moments([
      [1, 1, 7],
      [2, 1, 8],
      [5, 2, 7],
      [9, 2, 9],
    ]);
    const pops = moments([
      [3, 3, 7],
      [4, 3, 7],
      [6, 3, 7],
      [7, 3, 8],
      [8, 3, 9],
      [8, 3],
    ]);
    expect([...pushesByKey(pushes, pops)]).toEqual([0, NONE, 2, 1, NONE, NONE]);
  });

  it('is to the first one that was not taken, by order', () => {
    const pushes = moments([
      [2, 1],
      [3, 1],
      [9, 2],
    ]);
    const pops = moments([
      [1, 3],
      [4, 3],
      [5, 4],
      [6, 3],
    ]);
    expect([...pushesByOrder(pushes, pops)]).toEqual([NONE, 0, 1, NONE]);
    expect([...handOffsOf(pushes, pops, null).by]).toEqual([0, HandOffBy.Order, HandOffBy.Order, 0]);
  });

  it('is by key only, if there are keys', () => {
    const { push, by } = handOffsOf(
      moments([
        [1, 1, 7],
        [2, 1, 8],
      ]),
      moments([
        [3, 2, 8],
        [4, 2, 6],
      ]),
      null,
    );
    expect([[...push], [...by]]).toEqual([
      [1, NONE],
      [HandOffBy.Key, HandOffBy.None],
    ]);
  });

  it('is by the key of the same process if that is a number, and of any process if it is a text', () => {
    const one = { length: 1, timeNs: Float64Array.of(5), tid: Int32Array.of(1) };
    const found = (pushPid: number, popPid: number, key: number | string) => {
      const of = (pid: number): Moments => ({ ...one, pid: Int32Array.of(pid), key: [key] });
      return [...pushesByKey(of(pushPid), of(popPid))]; // work may be taken at the time at which it is handed on
    };
    expect([found(1, 1, 7), found(1, 2, 7), found(1, 2, 'a'), found(1, 2, '')]).toEqual([[0], [NONE], [0], [NONE]]);
  });

  it('is by order if only one side has keys, by none if texts lack the id', () => {
    const [keyed, bare] = [moments([[1, 1, 7]]), moments([[2, 2]])];
    expect([
      handOffsOf(keyed, bare, null).by[0],
      handOffsOf(moments([[1, 1]]), moments([[2, 2, 7]]), null).by[0],
    ]).toEqual([HandOffBy.Order, HandOffBy.Order]);
    const lacking = { ...bare, key: [''] };
    expect([...handOffsOf({ ...keyed, key: [''] }, lacking, null).by]).toEqual([HandOffBy.None]);
  });

  it('is found by key in every order of a random queue, and by order if it is first in, first out', () => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, isOrdered) => {
        const random = randomOf(seed);
        const queue: number[] = [];
        const [pushed, popped, truth]: [[number, number, number][], [number, number, number][], number[]] = [
          [],
          [],
          [],
        ];
        for (let at = 1; at < 200; at++) {
          if (queue.length < 5 && random() < 0.55) queue.push(pushed.push([at, at % 3, (at * 7) % 64]) - 1);
          else if (queue.length > 0) {
            const [taken] = queue.splice(isOrdered ? 0 : Math.floor(random() * queue.length), 1);
            truth.push(taken);
            popped.push([at, 9, pushed[taken][2]]);
          }
        }
        const found = isOrdered ? pushesByOrder : pushesByKey;
        expect([...found(moments(pushed), moments(popped))]).toEqual(truth);
      }),
    );
  });
});

describe('a hand-off by waking', () => {
  const [TAKER, WAKER, OTHER] = [7, 8, 9];
  const SLEPT = switches(SwitchKind.Out, 2000, 6000);

  function switches(kind: SwitchKind, outNs: number, inNs: number) {
    return [
      { timeNs: outNs, tid: TAKER, cpu: 0, kind },
      { timeNs: inNs, tid: TAKER, cpu: 0, kind: SwitchKind.In },
    ];
  }

  function sample(event: string, timeNs: number, tid: number, values: RecordedSample['values']): RecordedSample {
    return { event, timeNs, tid, cpu: 0, context: SampleContext.Task, values };
  }

  const LOCK_CALL = [
    sample('syscalls:sys_enter_futex', 6400, TAKER, { op: 0x80, uaddr: 64, val: 2, uaddr2: 0 }),
    sample('syscalls:sys_exit_futex', 6900, TAKER, { ret: 0 }),
  ];
  const LOCK_WAIT = [...SLEPT, ...switches(SwitchKind.Out, 6500, 6800)];

  /** The waker wakes the taker at 5000, which slept from 2000 to 6000. */
  it.each([
    ['is the last one before the waking', [3000, 4500, 5500], [6500], [1]],
    ['may be at the time of the waking', [3000, 5000], [6500], [1]],
    ['may be to a thread that takes it at once', [4500], [6000], [0]],
    ['is not to a thread before it was woken', [1000, 4500], [5900], [NONE]],
    ['is after the taker left the CPU', [1999], [6500], [NONE]],
    ['may be when the taker left the CPU', [2000], [6500], [0]],
    ['is taken once', [3000, 4500], [6500, 6600], [1, NONE]],
  ])('%s', (_, pushed, popped, expected) => {
    expect(byWaking(pushed, popped)).toEqual(expected);
  });

  it('is of the thread that woke the taker', () => {
    const pushes = moments([
      [3000, WAKER],
      [4500, OTHER],
    ]);
    expect(byWaking(pushes, [6500])).toEqual([0]);
    expect(byWaking(pushes, [6500], { waker: TAKER })).toEqual([NONE]); // an interrupt
    expect(byWaking(pushes, [6500], { waker: 3 })).toEqual([NONE]);
  });

  it('is at most a millisecond before the waking', () => {
    const slept = switches(SwitchKind.Out, 2000, 2_006_000);
    const conditions = { switches: slept, wakeNs: 2_000_000 };
    expect(byWaking([1_000_000], [2_007_000], conditions)).toEqual([0]);
    expect(byWaking([999_999], [2_007_000], conditions)).toEqual([NONE]);
  });

  it('is to a thread that waited for a CPU or a lock since then', () => {
    const preempted = [...SLEPT, ...switches(SwitchKind.Preempted, 6500, 6700)];
    expect(byWaking([4500], [7000], { switches: preempted })).toEqual([0]);
    expect(byWaking([4500], [7000], { switches: LOCK_WAIT, samples: LOCK_CALL })).toEqual([0]);
    expect(byWaking([4500], [7000], { switches: LOCK_WAIT })).toEqual([NONE]);
    expect(byWaking([4500], [7000], { switches: LOCK_WAIT.slice(2), samples: LOCK_CALL })).toEqual([NONE]);
  });

  it('is to no thread of which nothing is known', () => {
    const input = inputOf([], SLEPT);
    expect([...pushesByWaking(moments([[4500, WAKER]]), moments([[6500, OTHER]]), waitsOf(input))]).toEqual([NONE]);
  });

  interface Conditions {
    readonly waker?: number;
    readonly wakeNs?: number;
    readonly switches?: typeof SLEPT;
    readonly samples?: readonly RecordedSample[];
  }

  function byWaking(
    pushed: readonly number[] | Moments,
    popped: readonly number[],
    { waker = WAKER, wakeNs = 5000, switches = SLEPT, samples = [] }: Conditions = {},
  ): number[] {
    const waking = sample('sched:sched_waking', wakeNs, waker, { pid: TAKER });
    const waits = waitsOf(inputOf([waking, ...samples], switches));
    const pushes = 'key' in pushed ? pushed : moments(pushed.map((timeNs) => [timeNs, WAKER]));
    return [...pushesByWaking(pushes, moments(popped.map((timeNs) => [timeNs, TAKER])), waits)];
  }
});

describe.each([
  { ...(await recordReal()), jobs: 48, byWaking: [18, 18, 12] },
  { ...(await recordEmulated()), jobs: 16, byWaking: [8, 8, 8] },
])('jobs of $name', ({ input, truth, jobs, byWaking }) => {
  const [pushes, pops] = flowOf(input, 'job');
  const byKey = pushesByKey(pushes, pops);
  const idOf = (event: string, row: number) => momentsOf(tableOf(input.samples, event)!, 'id').key[row];

  it('all belong to their push, by key', () => {
    expect(pops.length).toBe(jobs);
    const ids = [...byKey].map((push, pop) => [idOf(PUSH, push), idOf(POP, pop)]);
    expect(ids.filter(([pushed, popped]) => pushed === popped)).toHaveLength(jobs);
    expect(new Set(byKey).size).toBe(jobs);
  });

  it('are told by wakings for few: the thread, and not always the very push', () => {
    const found = pushesByWaking(pushes, pops, waitsOf(input));
    const told = [...found.keys()].filter((pop) => found[pop] !== NONE);
    const ofThread = told.filter((pop) => pushes.tid[found[pop]] === pushes.tid[byKey[pop]]);
    const right = told.filter((pop) => found[pop] === byKey[pop]);
    expect([told.length, ofThread.length, right.length]).toEqual(byWaking);
  });

  it('are the two parts of each request', () => {
    const roots = truth.filter(({ kind }) => kind === 'request').sort((a, b) => a.from - b.from);
    const columns = {
      length: roots.length,
      tid: Int32Array.from(roots, ({ tid }) => tid),
      fromNs: Float64Array.from(roots, ({ from }) => from),
      toNs: Float64Array.from(roots, ({ to }) => to),
    };
    const parts = joinRequests(columns, pushes, pops, handOffsOf(pushes, pops, null), aloneUntilNext(pops, Infinity));
    roots.forEach(({ request }, row) => {
      const trueParts = truth.filter((part) => part.fn === 'run_job' && part.request === request);
      const found = partsOf(parts, row);
      expect(found.map(({ tid }) => tid).sort()).toEqual(trueParts.map(({ tid }) => tid).sort());
      expect(found.map(({ by }) => by)).toEqual([HandOffBy.Key, HandOffBy.Key]);
    });
    expect(parts.length).toBe(3 * roots.length);
  });
});

const PUSH = 'probe_waitlab:queue_push';
const POP = 'probe_waitlab:run_job';

function flowOf({ samples }: Recorded['input'], key: string): [Moments, Moments] {
  return [momentsOf(tableOf(samples, PUSH)!, key), momentsOf(tableOf(samples, POP)!, key)];
}

function partsOf({ request, by, tid }: Parts, row: number): { tid: number; by: number }[] {
  const own = [...request.keys()].filter((part) => request[part] === row && by[part] !== HandOffBy.None);
  return own.map((part) => ({ tid: tid[part], by: by[part] }));
}

it('joins work that is handed on twice, and none that belongs to no request', () => {
  const roots = { length: 1, tid: Int32Array.of(1), fromNs: Float64Array.of(10), toNs: Float64Array.of(20) };
  const pushes = moments([
    [5, 1, 1],
    [12, 1, 2],
    [15, 2, 3],
    [25, 1, 4],
  ]);
  const pops = moments([
    [13, 2, 2],
    [16, 3, 3],
    [17, 2, 1],
    [30, 2, 4],
  ]);
  const parts = joinRequests(roots, pushes, pops, handOffsOf(pushes, pops, null), aloneUntilNext(pops, 40));
  const rows = [...parts.tid.keys()].map((part) => [
    parts.tid[part],
    parts.parent[part],
    parts.fromNs[part],
    parts.toNs[part],
  ]);
  expect(rows).toEqual([
    [1, NONE, 10, 20],
    [2, 0, 13, 17],
    [3, 1, 16, 40],
  ]);
});
