/**
 * Tests the requests of the report page: the same numbers as `ptflame requests`, in bounds, and text as text.
 */
import { beforeAll, expect, test } from 'vitest';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { requestsForPage } from '../../src/page/contents/page-requests.js';
import { type ListedRequest, type PageRequests, scriptJson } from '../../src/page/data/requests.js';
import { chosenRequest, requestsSentence, showRequest } from '../../src/page/view/requests.js';
import { START } from '../../src/page/view/state.js';
import { requestsAnswer } from '../../src/questions/requests/answer.js';
import { askRequests } from '../../src/questions/requests/ask-requests.js';
import { requestsOfPage, WAITLAB } from '../helpers/requests/traces.js';
import { inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

let page: PageRequests;
beforeAll(async () => {
  page = await requestsOfPage(WAITLAB(), 'handle_request');
});

test('has the numbers of ptflame requests', async () => {
  const answer = requestsAnswer(await askRequests(WAITLAB(), { root: 'handle_request' }));
  const { requests, complete, threads, otherThreads, stats, where } = answer;
  expect(page).toMatchObject({ name: 'handle_request', requests, complete, threads, otherThreads });
  expect(page.stats).toEqual({ p50Ns: stats?.p50Ns, p90Ns: stats?.p90Ns, minNs: stats?.minNs, maxNs: stats?.maxNs });
  expect(where.length).toBeGreaterThan(page.where.length);
  expect(page.whereLeftOut).toBe(where.length - page.where.length);
  expect(page.where.map(({ typicalNs, slowestNs }) => [typicalNs, slowestNs])).toEqual(
    where.slice(0, page.where.length).map(({ typicalNs, slowestNs }) => [typicalNs, slowestNs]),
  );
});

test('come from the reading and the replay of the page, which has all else as without them', async () => {
  const options = { trees: 'apart', durations: true, timelineBytes: 1e6 } as const;
  const { requests, ...others } = await analyzeForPage(WAITLAB(), options, requestsForPage('handle_request'));
  expect(requests).toEqual(page);
  const { requests: none, ...alone } = await analyzeForPage(WAITLAB(), options);
  expect(none ?? null).toBe(null);
  expect(others).toEqual(alone);
});

test('lists all of a few requests, with what happened in them', async () => {
  const { requests } = await askRequests(WAITLAB(), { root: 'handle_request', slowest: 8 });
  expect(page.listed.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(page.listed.map(({ durationNs }) => durationNs)).toEqual(requests.details.map(({ durationNs }) => durationNs));
  for (const { durationNs, waitingNs, parts } of page.listed) {
    expect(waitingNs).toBeGreaterThan(0);
    expect(waitingNs).toBeLessThan(durationNs);
    expect(parts[0]).toMatchObject({ startNs: 0, durationNs, isCandidate: false });
    const [depth, fn, fromNs, ns] = parts[0]?.spans[0] ?? [];
    expect([depth, page.functions[fn as number]?.[0], fromNs, ns]).toEqual([0, 'handle_request', 0, durationNs]);
  }
});

test('says how much slower the slowest is, and what grew most', () => {
  const words = (requests: PageRequests) => requestsSentence(requests)?.map(({ text }) => text);
  expect(words(page)?.join('')).toBe(
    'The slowest of 8 handle_request took 16.6 ms, 1.7 × the median; most of what slow ones took longer is await_reply → pthread_cond_wait (+8.32 ms).',
  );
  const { stats } = page;
  expect(words({ ...page, stats: stats && { ...stats, maxNs: 1.4 * stats.p50Ns } })).toBeUndefined();
  expect(words({ ...page, complete: 1 })).toBeUndefined();
});

test('shows the marked request, else the slowest', () => {
  const [first, , third] = page.listed as [ListedRequest, ListedRequest, ListedRequest];
  const change = showRequest(third, 12.5);
  expect(change.call).toMatchObject({ tid: third.tid, ...change.range });
  expect(chosenRequest(page, { ...START, ...change }, 12.5)).toBe(third);
  expect(chosenRequest(page, START, 12.5)).toBe(first);
});

/** So many calls of a function, each a little longer than the one before, with many calls in each. */
function manyRequests(requests: number, inEach: number): string {
  const lines = ['0 call main loop'];
  let ns = 10;
  for (let request = 0; request < requests; request++) {
    lines.push(`${ns} call loop </script>`);
    for (let call = 0; call < inEach; call++) {
      lines.push(`${(ns += 10)} call </script> work`, `${(ns += 20_000 + request)} return work </script>`);
    }
    lines.push(`${(ns += 10)} return </script> loop`);
    ns += 10;
  }
  return traceOf([...lines, `${ns} return loop main`].join('\n'));
}

test('lists the slowest of many and a sample, says so, and stays small', async () => {
  const many = await requestsOfPage([inputOf(manyRequests(60, 90))], '</script>');
  const ranks = many.listed.map(({ rank }) => rank);
  expect(many.complete).toBe(60);
  expect(ranks.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(ranks.length).toBeLessThanOrEqual(40);
  expect(ranks.at(-1)).toBe(60);
  expect(many.listed[0]?.parts).toHaveLength(1);
  expect(many.listed.at(-1)?.parts).toEqual([]);
  const text = scriptJson(many);
  expect(text.length).toBeLessThanOrEqual(2 ** 16);
  expect(text).not.toContain('</');
  expect(JSON.parse(text)).toEqual(many);
});
