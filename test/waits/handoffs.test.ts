/**
 * Who handed on the work that a thread took, and which parts a request has.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableOf } from '../../src/model/samples/sample-table.js';
import { NONE } from '../../src/model/units.js';
import {
  HandOffBy,
  handOffsOf,
  pushesByKey,
  pushesByOrder,
  pushesByWaking,
} from '../../src/waits/handoffs/hand-offs.js';
import { type Moments, momentsOf } from '../../src/waits/handoffs/moments.js';
import { joinRequests } from '../../src/waits/requests/join-requests.js';
import type { Parts } from '../../src/waits/requests/parts.js';
import { waitsOf } from '../../src/waits/waits.js';
import { type Recorded, recordEmulated, recordReal } from './helpers/recorded.js';
import { aloneUntilNext } from './helpers/work.js';
import { randomOf } from './simulator/random-loads.js';

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
