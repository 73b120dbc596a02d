/**
 * Tests traces of requests for Perfetto: what is in them, and that they depend on nothing but the input. test/consumers reads
 * them with Perfetto's own trace processor.
 */
import { describe, expect, test } from 'vitest';
import { perfettoOfRequests } from '../../../src/export/perfetto/requests.js';
import { requestsAnswer } from '../../../src/questions/requests/answer.js';
import { askRequests, type RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import type { RequestPart } from '../../../src/questions/requests/found-requests.js';
import { type PerfettoFile, readPerfetto } from '../../helpers/checks/files/perfetto-file.js';
import { rendered } from '../../helpers/checks/rendered.js';
import {
  expectedRequestArrows,
  expectedRequestSlices,
  requestArrowText,
  requestSliceText,
} from '../../helpers/requests/slices.js';
import {
  askTwoHosts,
  BATCHES,
  BY_KEY,
  GROUP_COMMIT,
  REQUEST_CASES,
  RPCS,
  TRACE,
  WAITLAB,
} from '../../helpers/requests/traces.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { HostText, writeClient, writeServer } from '../../questions/requests/helpers/host-text.js';

const bytesOf = (found: RequestsResult) => rendered(perfettoOfRequests(found));
const fileOf = async (found: RequestsResult) => readPerfetto(await bytesOf(found));

const ROOT = 'handle_request';
const KEYED = { root: ROOT, flows: BY_KEY, maxSpans: 1e6 };

/** Each hand-off, from its instant to the slice or instant where its flow ends. */
function arrowsOf({ instants, slices }: PerfettoFile): string[] {
  const ends = new Map([
    ...slices.flatMap(({ thread, startNs, lastFlows }) => lastFlows.map((flow) => [flow, [thread, startNs]] as const)),
    ...instants.flatMap(({ thread, ns, flow }) => (flow < 0 ? [[-flow, [thread, ns]] as const] : [])),
  ]);
  return instants.flatMap(({ thread, ns, within, flow, values }) => {
    const [to, takenNs] = ends.get(flow) ?? [];
    if (to === undefined || takenNs === undefined) return [];
    const { request, requests, handoff_by } = values;
    const times = { handedOnNs: ns, takenNs };
    const of = `${requests ?? request}`.split(', ').map(Number);
    return requestArrowText({ from: thread, fromName: within, to, ...times, by: `${handoff_by}`, requests: of });
  });
}

describe('requests', () => {
  test.each(REQUEST_CASES)('are those of the answer: work handed on $name', async ({ inputs, flows, requests }) => {
    const asked = { root: ROOT, ...(flows && { flows }) };
    const { details } = requestsAnswer(await askRequests(inputs(), { ...asked, slowest: requests, minNs: 0 }));
    const file = await fileOf(await askRequests(inputs(), { ...asked, maxSpans: 1e6 }));
    expect(file.slices.map(requestSliceText).sort()).toEqual(expectedRequestSlices(details, ROOT).sort());
    expect(arrowsOf(file).sort()).toEqual(expectedRequestArrows(details, ROOT).sort());
  });

  test('have their number where they begin, and where work is done for them', async () => {
    const { slices } = await fileOf(await askRequests(WAITLAB(), KEYED));
    const heads = slices.filter(({ depth }) => depth === 0);
    const numbers = (name: string) =>
      heads.flatMap((own) => (own.name === name ? own.values['request'] : [])).sort((a, b) => Number(a) - Number(b));
    expect(numbers(ROOT)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(numbers('run_job')).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]);
  });

  test('have work for several once, with an arrow from each', async () => {
    const found = await askRequests(GROUP_COMMIT(), { root: ROOT, flows: BATCHES, maxSpans: 1e6 });
    const { slices, instants } = await fileOf(found);
    const shared = slices.filter(({ values }) => 'requests' in values);
    expect(shared.length).toBeGreaterThan(1);
    for (const { thread, startNs, durationNs, values, lastFlows } of shared) {
      const requests = `${values['requests']}`.split(', ');
      expect(values['shared_by']).toBe(requests.length);
      const isWithin = (ns: bigint) => ns >= startNs && ns < startNs + BigInt(durationNs);
      const taken = instants.filter((own) => own.flow < 0 && own.thread === thread && isWithin(own.ns));
      const numbers = [...taken.map((own) => own.values['request']), ...lastFlows];
      expect(numbers).toHaveLength(requests.length);
    }
  });

  test('have what shared work hands on once, for all', async () => {
    const found = await askRequests(GROUP_COMMIT(), { root: ROOT, flows: BATCHES, maxSpans: 1e6 });
    const isLast = ({ sharedBy, ownEndNs }: RequestPart, end: number) => sharedBy > 1 && ownEndNs === end;
    const end = Math.max(
      ...found.requests.details.flatMap(({ parts }) => parts.map((own) => (own.sharedBy > 1 ? own.ownEndNs : 0))),
    );
    const details = found.requests.details.map((own) => {
      const parent = own.parts.findIndex((part) => isLast(part, end));
      const part = own.parts[parent];
      if (part === undefined) return own;
      const times = { handedOnNs: part.endNs - 200, startNs: part.endNs - 100, ownStartNs: end - 100 };
      const thread = { ...part.thread, tid: 99 };
      return { ...own, parts: [...own.parts, { ...part, ...times, thread, parent, spans: [] }] };
    });
    const { slices, instants } = await fileOf({ ...found, requests: { ...found.requests, details } });
    const [shared, ...others] = slices.filter(({ thread }) => thread.endsWith(' 99'));
    const given = instants.filter(({ name }) => name.endsWith(' 99'));
    expect(others).toEqual([]);
    expect(`${shared?.values['requests']}`).toMatch(/^\d+(, \d+)+$/);
    expect(given.map(({ values, flow }) => [values['requests'], flow])).toEqual([
      [shared?.values['requests'], shared?.lastFlows[0]],
    ]);
  });

  test('say of stops why, and for whom', async () => {
    const { slices } = await fileOf(await askRequests(WAITLAB(), KEYED));
    const waits = slices.filter(({ values }) => values['wait_ended_by'] === 'thread');
    expect(waits.length).toBeGreaterThan(0);
    for (const { category, values } of waits) {
      expect(category).toBe('stop');
      expect(values).toMatchObject({ wait_reason: expect.any(String), waker_thread_id: expect.any(Number) });
    }
  });

  test('belong to the trace of their traceparent', async () => {
    const { slices } = await fileOf(await askTwoHosts());
    const traced = slices.filter(({ values }) => 'trace_id' in values);
    expect(traced.map(({ name, values }) => [name, values['trace_id']])).toEqual([['ask', TRACE]]);
  });

  test('are the same bytes with workers', async () => {
    const [one, four] = await Promise.all(
      [1, 4].map(async (jobs) => bytesOf(await askRequests(WAITLAB(), KEYED, { jobs }))),
    );
    expect(one?.equals(four as Buffer)).toBe(true);
  });

  test('may be left out, which the overview says', async () => {
    const { slices, attributes } = await fileOf(await askRequests(WAITLAB(), { ...KEYED, maxSpans: 10 }));
    expect(slices.length).toBeLessThanOrEqual(10);
    expect(attributes).toMatchObject({ requests: '8', 'requests left out': '5' });
    expect(attributes['calls left out']).toMatch(/^\d,\d+ calls shorter than \d/);
    const none = await fileOf(await askRequests(WAITLAB(), { ...KEYED, maxSpans: 1 }));
    expect(none.slices).toEqual([]);
    expect(none.attributes).toMatchObject({ 'requests left out': '8' });
  });
});

describe('a thread', () => {
  const askFibers = () =>
    askRequests([inputOf(fixture('truth/ptemu-boostfiber.perf.txt.gz'), 'fibers')], { root: 'consume', maxSpans: 1e6 });

  test('that switches between stacks has its calls on several tracks, where they nest', async () => {
    const found = await askFibers();
    const { slices, tracks } = await fileOf(found);
    const { spans } = requestsAnswer(found).details[0]?.parts[0] ?? { spans: [] };
    const lines = (calls: readonly { readonly name: string; readonly durationNs: number }[]) =>
      calls.map(({ name, durationNs }) => `${name} ${durationNs}`).sort();
    expect(lines(slices)).toEqual(lines(spans));
    expect(tracks.length).toBeGreaterThan(1);
    for (const { startNs, durationNs, depth, thread } of slices.filter(({ depth }) => depth > 0)) {
      const isAround = (other: (typeof slices)[number]) =>
        other.startNs <= startNs && other.startNs + BigInt(other.durationNs) >= startNs + BigInt(durationNs);
      expect(slices.some((other) => other.thread === thread && other.depth === depth - 1 && isAround(other))).toBe(
        true,
      );
    }
  });

  test('that works for a request within another one has both, on two tracks', async () => {
    const found = await askRequests(WAITLAB(), KEYED);
    const [first] = found.requests.details;
    const inner = { ...first, parts: first?.parts.slice(0, 1) } as RequestsResult['requests']['details'][number];
    const details = [...found.requests.details, inner];
    const { slices, tracks } = await fileOf({ ...found, requests: { ...found.requests, details } });
    const second = slices.filter(({ thread }) => thread.endsWith(' (2)'));
    expect(second.map(({ values }) => values['request']).filter(Boolean)).toEqual([9]);
    expect(second).toHaveLength(inner.parts[0]?.spans.length ?? 0);
    expect(tracks.filter((path) => path.endsWith(' (2)'))).toEqual([
      expect.stringMatching(/^.* > (session\d 917\d) > \1 \(2\)$/),
    ]);
  });
});

describe('several hosts', () => {
  test('are tracks with a name, although their threads have the same numbers', async () => {
    const { tracks, slices, attributes } = await fileOf(await askTwoHosts());
    expect(tracks).toEqual([
      ...['web', 'web > process 100', 'web > process 100 > thread 101'],
      ...['db', 'db > process 100', 'db > process 100 > thread 101'],
    ]);
    expect(attributes).toMatchObject({ hosts: 'web, db', 'clock of': 'web', requests: '3' });
    expect(slices.filter(({ values }) => 'request' in values)).toHaveLength(6);
  });

  test('are on one clock, and work is within its error of the true time', async () => {
    const { slices } = await fileOf(await askTwoHosts());
    const asked = slices.filter(({ name, depth }) => name === 'ask' && depth === 0);
    expect(asked.map(({ startNs }) => startNs)).toEqual(RPCS.map(({ askNs }) => BigInt(askNs)));
    const work = slices.filter(({ values }) => 'handoff_by' in values);
    expect(work).toHaveLength(3);
    for (const [row, { startNs, values }] of work.entries()) {
      const offNs = Math.abs(Number(startNs) - (RPCS[row]?.receivedNs ?? 0));
      expect(offNs).toBeLessThanOrEqual(values['clock_error_ns'] as number);
    }
  });

  test('whose requests begin on another one than that of the clock are on that clock, too', async () => {
    const { slices } = await fileOf(await askTwoHosts({ root: 'work' }));
    const heads = slices.filter(({ values }) => 'request' in values);
    expect(heads).toHaveLength(3);
    for (const [row, { startNs }] of heads.entries())
      expect(Math.abs(Number(startNs) - (RPCS[row]?.receivedNs ?? 0) - 200)).toBeLessThan(5000);
  });

  test('nest although one clock runs faster', async () => {
    const [client, server] = [new HostText(), new HostText((ns) => ns * 1.0005 + 3e9)];
    for (let row = 0; row < 10; row++) {
      const receivedNs = 1e9 + row * 1e7;
      const [repliedNs, answeredNs] = [receivedNs + 1e7 - 200, receivedNs + 1e7 + 5000];
      const rpc = { id: `a${row}`, askNs: receivedNs - 5000, receivedNs, repliedNs, answeredNs };
      writeClient(client, [100, 101 + row], rpc);
      writeServer(server, [100, 101], rpc); // takes the next when it has done this one
    }
    const inputs = [client, server].map((text, host) => inputOf(text.text(), `host${host}`));
    const flows = [{ push: 'send:id', pop: 'recv:id' }];
    const asked = { root: 'ask', flows, hosts: ['web', 'db'], id: /^00-(\w+)-/, maxSpans: 1000 };
    const { slices, tracks } = await fileOf(await askRequests(inputs, asked));
    expect(tracks.filter((path) => path.startsWith('db > '))).toEqual([
      'db > process 100',
      'db > process 100 > thread 101',
    ]);
    const works = slices.filter(({ values }) => 'handoff_by' in values);
    expect(works).toHaveLength(10);
    for (const [row, { startNs, durationNs }] of works.entries()) {
      expect(Math.abs(Number(startNs) - 1e9 - row * 1e7)).toBeLessThan(1e5);
      if (row < 9) expect(startNs + BigInt(durationNs)).toBeLessThanOrEqual(works[row + 1]?.startNs ?? 0n);
    }
  });
});
