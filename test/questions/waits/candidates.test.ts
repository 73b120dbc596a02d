/**
 * Who may have ended waits, from calls alone.
 */
import { describe, expect, it, test } from 'vitest';
import { NONE } from '../../../src/model/units.js';
import { type TraceWaits, waitInputOf, withWaits } from '../../../src/questions/waits/ask-waits.js';
import { candidateCalls, candidatesOf, endsWaits } from '../../../src/questions/waits/candidates.js';
import { WaitFacts } from '../../../src/questions/waits/wait-facts.js';
import { WakerKind } from '../../../src/waits/find-wakers.js';
import { Reason } from '../../../src/waits/reason.js';
import { OffState } from '../../../src/waits/schedule.js';
import { type Waits, waitsOf } from '../../../src/waits/waits.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { withEmulated } from '../../waits/helpers/emulated.js';

/** The kernel's note of a switch and that of perf are this close. */
const MAX_APART_NS = 5_000;

/** Returns how many waits a thread ended, and how many candidates from calls alone are right and wrong. */
async function compare(known: TraceWaits, { waits, waker }: { waits: Waits; waker: Int32Array }) {
  const counts = { byThread: 0, right: 0, wrong: 0 };
  for (let row = 0; row < known.waits.length; row++) {
    if (known.waits.state[row] !== OffState.Blocked || known.waits.isOpen[row]) continue;
    const isSame = (wait: number) =>
      waits.tid[wait] === known.waits.tid[row] && Math.abs(waits.inNs[wait] - known.waits.inNs[row]) < MAX_APART_NS;
    const found = [...waits.tid.keys()].filter(isSame).map((wait) => waker[wait])[0] ?? NONE;
    if (known.waits.wakerKind[row] === WakerKind.Thread) counts.byThread++;
    if (found === NONE) continue;
    const isRight = known.waits.wakerKind[row] !== WakerKind.Interrupt && found === known.waits.waker[row];
    counts[isRight ? 'right' : 'wrong']++;
  }
  return counts;
}

async function withoutSamples(known: TraceWaits) {
  const trace = { ...known.trace, samples: [] };
  const traced = { ...known, trace, waits: waitsOf(waitInputOf(trace)) };
  const candidates = await candidatesOf(traced, new WaitFacts(traced));
  return { waits: traced.waits, waker: candidates?.waker ?? new Int32Array(0) };
}

describe('without samples, calls alone', () => {
  it.each([
    ['waits', { byThread: 95, right: 37, wrong: 0 }],
    ['cpus-1', { byThread: 57, right: 0, wrong: 0 }],
    ['cpus-2', { byThread: 91, right: 20, wrong: 0 }],
    ['cpus-4', { byThread: 92, right: 36, wrong: 0 }],
  ])('show the waker of some waits of %s', async (name, counts) => {
    await withEmulated(name, async (known) => {
      expect(await compare(known, await withoutSamples(known))).toEqual(counts);
    });
  });

  it('show the waker of some waits for a group commit', async () => {
    const inputs = ['group-commit', 'group-commit.samples'].map((name) =>
      inputOf(fixture(`waits/${name}.txt.gz`), name),
    );
    const counts = await withWaits(inputs, {}, async (known) => compare(known, await withoutSamples(known)));
    expect(counts).toEqual({ byThread: 85, right: 4, wrong: 0 });
  });

  it('are not asked where wakings were recorded', async () => {
    await withEmulated('cpus-1', async (known) => expect(await candidatesOf(known, new WaitFacts(known))).toBeNull());
  });
});

describe('a candidate', () => {
  const OUT = 1_000_000;
  const IN = 2_000_000;
  /** `otherOutNs`: when another thread left its CPU. */
  const waitOf = (
    wakerKind: number = WakerKind.NotSeen,
    isOpen = 0,
    state: number = OffState.Blocked,
    otherOutNs = 0,
  ) =>
    ({
      ...{ length: 1, tid: Int32Array.of(7), outNs: Float64Array.of(OUT, otherOutNs), inNs: Float64Array.of(IN) },
      ...{ isOpen: Uint8Array.of(isOpen), state: Uint8Array.of(state), wakerKind: Uint8Array.of(wakerKind) },
    }) as unknown as Waits;
  const MUTEX = 1 << Reason.Mutex;
  const CONDITION = 1 << Reason.Condition;
  type Call = readonly [timeNs: number, tid: number, ends?: number];
  const find = (calls: readonly Call[], waits = waitOf()) =>
    candidateCalls(waits, Uint8Array.of(Reason.Mutex), {
      length: calls.length,
      timeNs: Float64Array.from(calls, ([ns]) => ns),
      tid: Int32Array.from(calls, ([, tid]) => tid),
      ends: Int32Array.from(calls, ([, , ends]) => ends ?? MUTEX),
    })[0];

  test.each<[string, readonly Call[], number]>([
    [
      'the last call of the only thread that made some',
      [
        [IN - 50_000, 8],
        [IN - 5_000, 8],
        [IN + 1, 9],
      ],
      1,
    ],
    [
      'none, if two threads made calls',
      [
        [IN - 50_000, 9],
        [IN - 5_000, 8],
      ],
      NONE,
    ],
    ['none, if the call was long before', [[IN - 100_001, 8]], NONE],
    ['none, if the call was when it ran already', [[IN, 8]], NONE],
    [
      'not the waiter itself',
      [
        [IN - 20, 8],
        [IN - 10, 7],
      ],
      0,
    ],
    [
      'not a call that ends other waits',
      [
        [IN - 20, 8],
        [IN - 10, 9, CONDITION],
      ],
      0,
    ],
  ])('is %s', (_, calls, found) => {
    expect(find(calls)).toBe(found);
  });

  test('is only for waits that ended and have no waker', () => {
    const calls: Call[] = [[IN - 10, 8]];
    expect(find(calls)).toBe(0);
    expect(find(calls, waitOf(WakerKind.Interrupt))).toBe(NONE);
    expect(find(calls, waitOf(WakerKind.NotSeen, 1))).toBe(NONE);
    expect(find(calls, waitOf(WakerKind.NotSeen, 0, OffState.Preempted))).toBe(NONE);
  });

  test('is not known if another thread left a CPU just then, for which the thread may have waited', () => {
    const afterSwitch = (ns: number) => waitOf(WakerKind.NotSeen, 0, OffState.Blocked, ns);
    const calls: Call[] = [[IN - 10, 8]];
    expect(find(calls, afterSwitch(IN - 400))).toBe(NONE);
    expect(find(calls, afterSwitch(IN - 6_000))).toBe(0);
    expect(find(calls, afterSwitch(IN))).toBe(0);
  });

  test.each([
    ['pthread_mutex_unlock@@GLIBC_2.2.5', [Reason.Mutex]],
    ['__lll_lock_wake_private', [Reason.Mutex]],
    ['pthread_cond_broadcast@plt', [Reason.Condition]],
    ['__new_sem_post', [Reason.Semaphore]],
    ['__GI___write', [Reason.Poll, Reason.Socket]],
    ['pthread_mutex_lock', []],
    ['overwrite', []],
  ])('may be in %s', (name, reasons) => {
    expect(endsWaits(name)).toBe(reasons.reduce<number>((bits, reason) => bits | (1 << reason), 0));
  });
});
