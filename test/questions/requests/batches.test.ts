/**
 * Work that a thread does for several requests at once: the writer of a group commit takes all transactions that wait.
 */
import { describe, expect, test } from 'vitest';
import { NONE } from '../../../src/model/units.js';
import { askRequests, type RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import { collectedSteps, decidingSteps, takingSteps } from '../../../src/questions/requests/batches.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';

interface Truth {
  readonly kind: 'request' | 'group' | 'job';
  readonly tid: number;
  readonly from: number;
  readonly to: number;
  readonly requests: readonly number[];
}

const TRUTH = fixture('waits/group-commit.truth.jsonl.gz')
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Truth);

const FLOWS = ['job', 'commit'].map((queue) => ({ push: `${queue}_push:req`, pop: `${queue}_take:req` }));

const ask = () => {
  const inputs = ['group-commit', 'group-commit.samples'].map((name) => inputOf(fixture(`waits/${name}.txt.gz`), name));
  return askRequests(inputs, { root: 'handle_request', flows: FLOWS, slowest: 100 });
};

const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

/** Returns for each request what was found and what is true: which thread did which work, for how many requests. */
function partsOf({ profile, requests, shiftNs }: RequestsResult) {
  const clockNs = (ns: number) => Number(profile.meta.originNs) + ns - shiftNs;
  const within = (fromNs: number, toNs: number) => (true_: Truth) =>
    true_.from >= clockNs(fromNs) && true_.to <= clockNs(toNs);
  return requests.details.map(({ startNs, durationNs, parts }) => {
    const [own, ...others] = parts;
    const [request] = TRUTH.filter(({ kind, tid }) => kind === 'request' && tid === own.thread.tid).filter(
      within(startNs, startNs + durationNs),
    );
    const found = others.map(({ thread: { tid }, sharedBy, startNs, endNs }) => {
      const same = TRUTH.filter((each) => each.kind !== 'request' && each.tid === tid).filter(within(startNs, endNs));
      return { tid, kinds: same.map(({ kind }) => kind), sharedBy };
    });
    const [id] = request.requests;
    const expected = TRUTH.filter(({ kind, requests }) => kind !== 'request' && requests.includes(id)).map((each) => {
      return { tid: each.tid, kinds: [each.kind], sharedBy: each.requests.length };
    });
    return { found: sorted(found), expected: sorted(expected) };
  });
}

describe('a group commit', () => {
  test('belongs to all requests whose work was taken for it, and jobs to one each', async () => {
    const result = await ask();
    expect(result.requests.joined).toMatchObject({ byKey: 20, shared: 7, notJoined: 0, forNoRequest: 0 });
    const parts = partsOf(result);
    expect(parts).toHaveLength(10);
    for (const { found, expected } of parts) expect(found).toEqual(expected);
  });

  test('counts once where the time of requests is added up', async () => {
    const { details, where, slowest } = (await ask()).requests;
    const works = new Map<string, number>();
    for (const { parts } of details)
      for (const { thread, startNs, endNs } of parts.slice(1)) {
        const work = `${thread.tid} ${endNs}`;
        works.set(work, Math.max(works.get(work) ?? 0, endNs - startNs));
      }
    const others = where.filter(({ isOwn }) => !isOwn).reduce((sum, { slowestNs }) => sum + slowestNs, 0);
    expect(slowest?.requests).toBe(10);
    expect(10 * others).toBeCloseTo(
      [...works.values()].reduce((sum, ns) => sum + ns),
      2,
    );
  });
});

describe('takes of a thread', () => {
  const calls = (...rows: readonly (readonly [number, number])[]) => ({
    startNs: Float64Array.from(rows, ([from]) => from),
    endNs: Float64Array.from(rows, ([, to]) => to),
    callAt: () => NONE,
    nextStartNs: () => Number.POSITIVE_INFINITY,
  });
  const pops = (...times: readonly number[]) => ({
    length: times.length,
    timeNs: Float64Array.from(times),
    tid: new Int32Array(times.length),
    pid: new Int32Array(times.length),
    key: [],
  });
  const stepsOf = (times: readonly number[], ...rows: readonly (readonly [number, number])[]) =>
    takingSteps(pops(...times), [...times.keys()], calls(...rows) as never, 1000);

  /** Two takes, a call that finds nothing, and work; then a take alone. */
  const DRAINED = stepsOf([15, 25, 195], [10, 16], [20, 26], [30, 34], [190, 196]);

  test('are steps, with the calls that took nothing', () => {
    expect(DRAINED).toEqual({
      length: 4,
      pop: [0, 1, NONE, 2],
      fromNs: [10, 20, 30, 190],
      toNs: [15, 25, 34, 195],
      nextNs: [20, 30, 190, 1000],
    });
  });

  test('are steps of their own in one call', () => {
    expect(stepsOf([12, 14], [10, 50])).toMatchObject({ pop: [0, 1], fromNs: [10, 14], nextNs: [14, 1000] });
  });

  const quiet =
    (...steps: readonly number[]) =>
    (step: number) =>
      steps.includes(step);
  const work = (step: number) => DRAINED.nextNs[step] - DRAINED.toNs[step];

  test('are a batch if nothing runs between them, and longer work follows', () => {
    expect(collectedSteps(DRAINED, quiet(0, 1), work)).toEqual([{ first: 0, last: 1, end: 2 }]);
    expect(collectedSteps(DRAINED, quiet(0), work)).toEqual([]); // the call without work follows at once
    expect(collectedSteps(DRAINED, quiet(1), work)).toEqual([{ first: 1, last: 1, end: 2 }]);
    expect(collectedSteps(DRAINED, quiet(0, 1), () => 37)).toEqual([]);
    expect(collectedSteps(DRAINED, quiet(0, 1), () => 38)).toHaveLength(1);
  });

  test('are only asked about if they are short before longer work', () => {
    expect(decidingSteps(DRAINED)).toEqual([0, 1, 2, 3]);
    expect(decidingSteps(stepsOf([10, 500, 990], [9, 11], [499, 501], [989, 991]))).toEqual([]);
    expect(decidingSteps(stepsOf([10, 400, 420], [9, 11], [399, 401], [419, 421]))).toEqual([1, 2]);
  });
});
