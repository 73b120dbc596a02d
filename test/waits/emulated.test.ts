/**
 * Waits with call stacks: emulated recordings of `waitlab` on one, two and four CPUs, with and without breakpoints.
 */
import { describe, expect, it } from 'vitest';
import type { Shape } from '../../src/model/calls/overlay.js';
import { tableOf } from '../../src/model/sample-table.js';
import { WakerKind } from '../../src/waits/find-wakers.js';
import { handOffsOf } from '../../src/waits/hand-offs.js';
import { joinRequests } from '../../src/waits/join-requests.js';
import { HolderSource, lockWaitsOf } from '../../src/waits/locks/lock-waits.js';
import { momentsOf } from '../../src/waits/moments.js';
import { type Emulated, withEmulated } from './helpers/emulated.js';
import type { Truth } from './helpers/recorded.js';
import { blockedRows, holdersAt, wakersOf } from './helpers/true-answers.js';
import { aloneUntilNext } from './helpers/work.js';

const RECORDINGS = ['cpus-1', 'cpus-2', 'cpus-4', 'breakpoints-1', 'breakpoints-2', 'breakpoints-4'] as const;

/** True waits that left the CPU, with a row for each time. */
function waitRows({ truth, waits }: Emulated, ...reasons: string[]): { wait: Truth; row: number }[] {
  const wanted = truth.filter(
    ({ kind, reason }) => kind === 'wait' && (reasons.length === 0 || reasons.includes(reason)),
  );
  return wanted.flatMap((wait) => blockedRows(waits, wait).map((row) => ({ wait, row })));
}

function stackOf({ parent, symbol }: Shape, { symbols }: Emulated['calls']['profile'], node: number): string[] {
  const names: string[] = [];
  for (let at = node; at > 0; at = parent[at]) names.push(symbols.name[symbol[at]]);
  return names;
}

describe.each(RECORDINGS)('%s', (name) => {
  it('is decoded without gaps', async () => {
    const { quality } = await withEmulated(name, async ({ calls }) => calls.profile);
    expect([quality.losses, quality.gaps]).toEqual([[], []]);
  });

  it('names the thread that ended each wait, and what it did', async () => {
    await withEmulated(name, async (emulated) => {
      const { truth, waits, calls } = emulated;
      const rows = waitRows(emulated);
      expect(rows.length).toBeGreaterThan(30);
      for (const { wait, row } of rows) {
        if (wait.for === 0) expect(waits.wakerKind[row]).toBe(WakerKind.Interrupt);
        else {
          expect(wakersOf(wait, truth, waits, row)).toContain(waits.waker[row]);
          const expected = wakingFunctions(wait, truth, waits.waker[row]);
          const stack = stackOf(calls.paths, calls.profile, calls.wakerNode[row]);
          if (wait.reason !== 'join')
            expect({ wait, isIn: stack.some((fn) => expected.includes(fn)) }).toEqual({ wait, isIn: true });
        }
        expect(stackOf(calls.paths, calls.profile, calls.waiterNode[row])).toContain(wait.fn);
      }
    });
  });

  it('names the holder of each lock, by probe and by futexes alone, and what it did meanwhile', async () => {
    await withEmulated(name, async (emulated) => {
      const { truth, waits, trace, calls } = emulated;
      const rows = waitRows(emulated, 'mutex');
      expect(rows.length).toBeGreaterThanOrEqual(6);
      for (const ownerEvent of [undefined, null]) {
        const { holder, holderSource } = lockWaitsOf(waits, trace.samples, ownerEvent);
        for (const { wait, row } of rows) {
          expect(holdersAt(truth, wait.address, waits.outNs[row], 0)).toContain(holder[row]);
          expect(holderSource[row]).toBe(ownerEvent === null ? HolderSource.Futex : HolderSource.Probe);
        }
      }
      const single = waitRows(emulated, 'mutex', 'rwlock').filter(({ wait }) => wait.for > 0);
      expect(single.length).toBeGreaterThanOrEqual(4);
      for (const { wait, row } of single)
        expect(await shareIn(calls, waits.outNs[row], waits.wakeNs[row], wait)).toBeGreaterThan(0.97);
    });
  });

  it('joins both parts of each request', async () => {
    await withEmulated(name, async ({ trace: { samples }, truth }) => {
      const [pushes, pops] = ['queue_push', 'run_job'].map((event) =>
        momentsOf(tableOf(samples, samples.find((table) => table.event.endsWith(`:${event}`))!.event)!, 'job'),
      );
      const requests = truth.filter(({ kind }) => kind === 'request').sort((a, b) => a.from - b.from);
      const roots = {
        length: requests.length,
        tid: Int32Array.from(requests, ({ tid }) => tid),
        fromNs: Float64Array.from(requests, ({ from }) => from),
        toNs: Float64Array.from(requests, ({ to }) => to),
      };
      const parts = joinRequests(roots, pushes, pops, handOffsOf(pushes, pops, null), aloneUntilNext(pops, Infinity));
      const found = requests.map((_, row) =>
        [...parts.tid].filter((_, part) => parts.request[part] === row && parts.parent[part] >= 0).sort(),
      );
      const real = requests.map(({ request }) =>
        truth
          .filter((part) => part.fn === 'run_job' && part.request === request)
          .map(({ tid }) => tid)
          .sort(),
      );
      expect(found).toEqual(real);
      expect(found.map(({ length }) => length)).toEqual(Array(8).fill(2));
    });
  });
});

/** Functions that woke the waiter: those that noted it, or whichever gave back the mutex of the queue. */
function wakingFunctions(wait: Truth, truth: readonly Truth[], waker: number): string[] {
  const isOfWaker = ({ kind, tid, address }: Truth) => tid === waker && address === wait.address && kind !== 'wait';
  const noted = truth.filter(isOfWaker).map(({ fn }) => fn);
  if (wait.reason === 'queue' || wait.reason === 'cond')
    return [...noted, 'queue_pop', 'await_reply', 'queue_push', 'reply'];
  return noted.length > 0 ? noted : ['poster'];
}

/** The share of a wait until its waking that its true holder spent in the function that it noted. */
async function shareIn(calls: Emulated['calls'], outNs: number, wakeNs: number, wait: Truth): Promise<number> {
  const treesOver = { fromNs: Float64Array.of(outNs), toNs: Float64Array.of(wakeNs), key: Int32Array.of(0) };
  const asked = new Map([[wait.for, { nodesAt: null, treesOver, spans: null, spanTrees: null }]]);
  const { threads, paths } = await calls.askable.ask(asked);
  const time = threads.get(wait.for)?.treesOver;
  let insideNs = 0;
  for (const [at, node] of (time?.node ?? []).entries())
    if (stackOf(paths, calls.profile, node).includes(wait.forFn)) insideNs += time?.ns[at] ?? 0;
  return insideNs / (wakeNs - outNs);
}
