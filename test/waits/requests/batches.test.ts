/**
 * Work that is taken together belongs to all requests that it is for.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NONE } from '../../../src/model/units.js';
import { handOffsOf } from '../../../src/waits/hand-offs.js';
import { joinRequests, type Parts } from '../../../src/waits/join-requests.js';
import { randomOf } from '../simulator/random-loads.js';

type Push = readonly [timeNs: number, tid: number, key: number];
/** `batch`: any number that the takes of a batch share. */
type Pop = readonly [timeNs: number, tid: number, key: number, endNs: number, batch: number];
type Root = readonly [fromNs: number, tid: number, toNs: number];

const momentsOf = (rows: readonly (Push | Pop)[]) => ({
  length: rows.length,
  timeNs: Float64Array.from(rows, ([ns]) => ns),
  tid: Int32Array.from(rows, ([, tid]) => tid),
  pid: new Int32Array(rows.length),
  key: Float64Array.from(rows, ([, , key]) => key),
});

function join(roots: readonly Root[], pushed: readonly Push[], popped: readonly Pop[]): Parts {
  const [pushes, pops] = [momentsOf(pushed), momentsOf(popped)];
  const columns = {
    length: roots.length,
    fromNs: Float64Array.from(roots, ([from]) => from),
    tid: Int32Array.from(roots, ([, tid]) => tid),
    toNs: Float64Array.from(roots, ([, , to]) => to),
  };
  const work = {
    endNs: Float64Array.from(popped, ([, , , endNs]) => endNs),
    batch: Int32Array.from(popped, ([, , , , batch]) => popped.findIndex((other) => other[4] === batch)),
  };
  return joinRequests(columns, pushes, pops, handOffsOf(pushes, pops, null), work);
}

const rowsOf = (parts: Parts) =>
  Array.from({ length: parts.length }, (_, part) => part)
    .filter((part) => parts.pop[part] !== NONE)
    .map((part) => [parts.request[part], parts.tid[part], parts.fromNs[part], parts.toNs[part], parts.sharedBy[part]]);

describe('a batch', () => {
  const ROOTS: readonly Root[] = [
    [1, 1, 90],
    [2, 2, 90],
    [3, 3, 90],
  ];
  const PUSHES: readonly Push[] = [
    [10, 1, 71],
    [11, 2, 72],
    [12, 3, 73],
  ];

  test('is a part of each request whose work was taken', () => {
    const pops: readonly Pop[] = [
      [20, 9, 71, 50, 0],
      [21, 9, 72, 50, 0],
      [60, 9, 73, 80, 1],
    ];
    const parts = join(ROOTS, PUSHES, pops);
    expect(rowsOf(parts)).toEqual([
      [0, 9, 20, 50, 2],
      [1, 9, 21, 50, 2],
      [2, 9, 60, 80, 1],
    ]);
  });

  test('counts work of unknown requests', () => {
    const parts = join(ROOTS.slice(0, 1), PUSHES, [
      [20, 9, 71, 50, 0],
      [21, 9, 72, 50, 0],
      [22, 9, 99, 50, 0],
    ]);
    expect(rowsOf(parts)).toEqual([[0, 9, 20, 50, 3]]);
  });

  test('hands its work on for all, but an answer for one', () => {
    const pushes: readonly Push[] = [...PUSHES, [30, 9, 555], [40, 9, 72]];
    const parts = join(ROOTS, pushes, [
      [20, 9, 71, 50, 0],
      [21, 9, 72, 50, 0],
      [35, 8, 555, 45, 1],
      [41, 7, 72, 49, 2],
    ]);
    expect(rowsOf(parts).slice(2)).toEqual([
      [0, 8, 35, 45, 2],
      [1, 8, 35, 45, 2],
      [1, 7, 41, 49, 1],
    ]);
  });

  test('of a leader has its own work, too, whose time its request has already', () => {
    const parts = join(ROOTS, PUSHES, [
      [20, 1, 71, 50, 0],
      [21, 1, 72, 50, 0],
    ]);
    expect([...parts.isInside]).toEqual([0, 0, 0, 1, 0]);
    expect([...parts.sharedBy]).toEqual([1, 1, 1, 2, 2]);
  });
});

/** Requests of some threads, whose work others take in batches. */
function randomWork(seed: number) {
  const random = randomOf(seed);
  const below = (n: number) => Math.floor(random() * n);
  const roots: Root[] = [];
  const pushes: Push[] = [];
  const pops: Pop[] = [];
  const queue: number[] = [];
  let key = 0;
  const freeNs = [0, 0];
  for (let ns = 10; ns < 2000; ns += 10) {
    const taker = below(2);
    if (random() < 0.6 || freeNs[taker] > ns) {
      roots.push([ns, 100 + key, ns + 500]);
      for (let work = 0; work <= below(2); work++)
        queue.push(pushes.push([ns + 1 + work, 100 + key, key * 4 + work]) - 1);
      key++;
    } else if (queue.length > 0) {
      const taken = queue.splice(0, 1 + below(4));
      freeNs[taker] = ns + 10 + below(60);
      pops.push(...taken.map((push, at): Pop => [ns + at, taker, pushes[push][2], freeNs[taker], ns]));
    }
  }
  return { roots, pushes, pops, isKept: () => random() < 0.8 };
}

describe('parts of random batches', () => {
  test('take the time of their threads exactly once', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { roots, pushes, pops } = randomWork(seed);
        const parts = join(roots, pushes, pops);
        let dividedNs = 0;
        for (let part = 0; part < parts.length; part++) {
          const { fromNs, toNs, ownToNs, sharedFromNs, sharedBy, isInside, pop } = parts;
          if (pop[part] === NONE || isInside[part]) continue;
          dividedNs +=
            sharedBy[part] === 1
              ? toNs[part] - fromNs[part]
              : ownToNs[part] - fromNs[part] + (toNs[part] - sharedFromNs[part]) / sharedBy[part];
        }
        const batches = new Map(pops.toReversed().map(([ns, , , endNs, batch]) => [batch, endNs - ns]));
        expect(dividedNs).toBeCloseTo(
          [...batches.values()].reduce((sum, ns) => sum + ns, 0),
          6,
        );
      }),
    );
  });

  test('are fewer, and never other ones, if samples are missing', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { roots, pushes, pops, isKept } = randomWork(seed);
        const text = ([request, tid, from, to]: readonly number[]) => `${roots[request]} ${tid} ${from} ${to}`;
        const all = new Set(rowsOf(join(roots, pushes, pops)).map(text));
        const some = rowsOf(join(roots, pushes.filter(isKept), pops.filter(isKept)));
        for (const row of some) expect(all).toContain(text(row));
      }),
    );
  });
});
