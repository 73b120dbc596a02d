/**
 * Requests of a program with a known truth: eight, each with two parts that other threads did.
 */
import { describe, expect, test } from 'vitest';
import { askRequests, type RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import type { RequestsOptions } from '../../../src/questions/requests/request-question.js';
import { HandOffBy } from '../../../src/waits/hand-offs.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';

/** Calls and returns of the threads, and the samples that were recorded with them. */
const inputs = () => ['requests', 'waits'].map((name) => inputOf(fixture(`waits/${name}.txt.gz`), name));

const ask = (question: Partial<RequestsOptions>) => askRequests(inputs(), { root: 'handle_request', ...question });

const BY_KEY = { flows: [{ push: 'queue_push:job', pop: 'run_job:job' }] };

interface Truth {
  readonly kind: string;
  readonly fn: string;
  readonly tid: number;
  readonly request: number;
  readonly from: number;
  readonly to: number;
}

const TRUTH = fixture('waits/waits.truth.jsonl.gz')
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Truth);
const PARTS = TRUTH.filter(({ kind, fn }) => kind === 'part' && fn === 'run_job');

/** Returns the thread and the number of microseconds of each part, by the true number of its request. */
function partsOf({ profile, requests, shiftNs }: RequestsResult) {
  const clockNs = (ns: number) => Number(profile.meta.originNs) + ns - shiftNs;
  return requests.details.map(({ startNs, durationNs, parts }) => {
    const true_ = TRUTH.find(({ kind, tid, from }) => {
      return (
        kind === 'request' &&
        tid === parts[0].thread.tid &&
        from > clockNs(startNs) &&
        from < clockNs(startNs + durationNs)
      );
    });
    const others = parts.slice(1).map(({ thread: { tid }, startNs, endNs }) => {
      const same = PARTS.filter((part) => part.tid === tid && part.from > clockNs(startNs) && part.to < clockNs(endNs));
      return { tid, requests: same.map(({ request }) => request) };
    });
    return { request: true_?.request ?? Number.NaN, others };
  });
}

const byTid = (a: { readonly tid: number }, b: { readonly tid: number }) => a.tid - b.tid;

describe('requests', () => {
  test.each([
    ['by key', BY_KEY, HandOffBy.Key],
    ['by order', { flows: [{ push: 'queue_push', pop: 'run_job' }] }, HandOffBy.Order],
  ])('have exactly the parts that other threads did, %s', async (_, question, by) => {
    const result = await ask({ ...question, slowest: 8 });
    const found = partsOf(result);
    expect(found.map(({ request }) => request).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { request, others } of found) {
      const expected = PARTS.filter((part) => part.request === request).map(({ tid }) => ({
        tid,
        requests: [request],
      }));
      expect(others.sort(byTid)).toEqual(expected.sort(byTid));
    }
    const ways = result.requests.details.flatMap(({ parts }) => parts.slice(1).map((part) => part.by));
    expect(ways).toEqual(Array(16).fill(by));
  });

  test('get work of others by wakings as candidates, without a flow', async () => {
    const result = await ask({ slowest: 8 });
    const { joined, details } = result.requests;
    expect(joined).toEqual({ byKey: 0, byOrder: 0, byWaking: 8, shared: 0, forNoRequest: 0, notJoined: 0 });
    for (const { parts } of details) expect(parts.slice(1).every(({ by }) => by === HandOffBy.Waking)).toBe(true);
    const jobs = partsOf(result).flatMap(({ request, others }) =>
      others.flatMap(({ requests }) => requests.map((job) => job === request)),
    );
    const right = jobs.filter((isRight) => isRight).length;
    expect([right, jobs.length - right]).toEqual([8, 3]);
  });

  test('consist of pieces that add up to their durations', async () => {
    const { requests } = await ask({ ...BY_KEY, slowest: 8, minNs: 5_000 });
    expect(requests.details).toHaveLength(8);
    for (const { durationNs, parts } of requests.details) {
      expect(sum(parts[0].spans.map(({ selfNs }) => selfNs))).toBe(durationNs);
      for (const { startNs, endNs, spans } of parts) {
        expect(sum(spans.map(({ selfNs }) => selfNs))).toBe(endNs - startNs);
        expect(Math.min(...spans.map(({ selfNs }) => selfNs))).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('have the time of their own threads, by function, in full', async () => {
    const { where, whereByThread, typical, slowest } = (await ask(BY_KEY)).requests;
    for (const rows of [where, whereByThread]) {
      const own = rows.filter(({ isOwn }) => isOwn);
      expect(sum(own.map(({ typicalNs }) => typicalNs))).toBeCloseTo(typical?.avgNs ?? 0, 3);
      expect(sum(own.map(({ slowestNs }) => slowestNs))).toBeCloseTo(slowest?.avgNs ?? 0, 3);
    }
    expect([typical?.requests, slowest?.requests]).toEqual([4, 1]);
  });

  test('show for whom they waited', async () => {
    const { details } = (await ask({ ...BY_KEY, slowest: 1 })).requests;
    const waits = details[0].parts[0].spans.flatMap(({ wait }) => wait ?? []);
    expect(waits.map(({ waker }) => waker?.comm)).toEqual(['worker1']);
  });

  test.each([
    ['no event queue_pop', 'queue_push:job', 'queue_pop:job'],
    ['no argument worker', 'queue_push:job', 'run_job:worker'],
  ])('need events of the trace: %s', async (message, push, pop) => {
    await expect(ask({ flows: [{ push, pop }] })).rejects.toMatchObject({
      code: 'NOT_RECORDED',
      message: expect.stringContaining(message),
    });
  });

  test('need calls', async () => {
    const samples = [inputOf(fixture('waits/waits.txt.gz'))];
    await expect(askRequests(samples, { root: 'handle_request' })).rejects.toMatchObject({ code: 'NO_BRANCHES' });
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
