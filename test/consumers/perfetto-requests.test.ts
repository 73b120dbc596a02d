/**
 * Tests that Perfetto shows requests as they are in the answer: every part, call and stop in its thread, and arrows where
 * work was handed on.
 */
import { describe, expect, test } from 'vitest';
import { perfettoOfRequests } from '../../src/export/perfetto/requests.js';
import { requestsAnswer } from '../../src/questions/requests/answer.js';
import { askRequests, type RequestsResult } from '../../src/questions/requests/ask-requests.js';
import type { RequestDetails } from '../../src/questions/requests/schema.js';
import { rendered } from '../helpers/checks/rendered.js';
import {
  expectedRequestArrows,
  expectedRequestSlices,
  requestArrowText,
  requestSliceText,
} from '../helpers/requests/slices.js';
import { askTwoHosts, BY_KEY, REQUEST_CASES, WAITLAB } from '../helpers/requests/traces.js';
import { fixture, inputOf } from '../helpers/traces/load.js';
import { traceProcessorOfFile } from './trace-processor.js';

const processor = traceProcessorOfFile();

/** Fails if Perfetto found anything wrong with the trace. */
async function read(requests: RequestsResult): Promise<void> {
  await processor.read(await rendered(perfettoOfRequests(requests)));
  const problems = await processor.ask(`
    select name, value from stats where value > 0 and (severity in ('error', 'data_loss') or name glob 'flow_*')`);
  expect(problems).toEqual([]);
}

const THREADS = `
  with places as (
    select track.id as track_id, coalesce(coalesce(thread.name, 'thread') || ' ' || tid, track.name) as thread
    from track left join thread_track using (id) left join thread using (utid))`;

async function readSlices(): Promise<string[]> {
  const rows = await processor.ask(`${THREADS}
    select thread, depth, ts, dur, name from slice join places using (track_id) where category is not 'hand-off'`);
  return rows.map(({ thread, depth, ts, dur, name }) => {
    const times = { startNs: ts as bigint, durationNs: Number(dur) };
    return requestSliceText({ thread: `${thread}`, depth: Number(depth), ...times, name: `${name}` });
  });
}

const ARROWS = `${THREADS}
  select giver.thread as "from", around.name as within, out.ts as given, taker.thread as "to", work.ts as taken,
    extract_arg(out.arg_set_id, 'debug.handoff_by') as by,
    coalesce(extract_arg(out.arg_set_id, 'debug.requests'), extract_arg(out.arg_set_id, 'debug.request')) as requests
  from flow
    join slice as out on out.id = slice_out join places as giver on giver.track_id = out.track_id
    join slice as around on around.id = out.parent_id
    join slice as work on work.id = slice_in join places as taker on taker.track_id = work.track_id`;

async function readArrows(): Promise<string[]> {
  return (await processor.ask(ARROWS)).map(({ from, within, given, to, taken, by, requests }) =>
    requestArrowText({
      ...{ from: `${from}`, fromName: `${within}`, handedOnNs: given as bigint },
      ...{ to: `${to}`, takenNs: taken as bigint, by: `${by}` },
      requests: `${requests}`.split(', ').map(Number),
    }),
  );
}

describe('requests', () => {
  test.each(REQUEST_CASES)('are those of the answer: work handed on $name', async ({ inputs, flows, requests, by }) => {
    const asked = { root: 'handle_request', ...(flows && { flows }) };
    const { details } = requestsAnswer(await askRequests(inputs(), { ...asked, slowest: requests, minNs: 0 }));
    await read(await askRequests(inputs(), { ...asked, maxSpans: 1e6 }));
    expect((await readSlices()).sort()).toEqual(expectedRequestSlices(details, 'handle_request').sort());
    const arrows = await readArrows();
    expect(arrows.sort()).toEqual(expectedRequestArrows(details, 'handle_request').sort());
    expect(arrows.some((arrow) => arrow.includes(`by ${by},`))).toBe(true);
  });

  test('have the time of each thread, with SQL', async () => {
    const requests = await askRequests(WAITLAB(), { root: 'handle_request', flows: BY_KEY, maxSpans: 1e6 });
    await read(requests);
    const rows = await processor.ask(`
      select thread.name, tid, sum(dur) as ns from slice join thread_track on thread_track.id = track_id
        join thread using (utid) where extract_arg(slice.arg_set_id, 'debug.request') = 1 and category is not 'hand-off'
        group by tid order by ns desc`);
    const { parts } = requestsAnswer(requests).details[0] as RequestDetails;
    const ofThread = (tid: number) =>
      parts.reduce((sum, { thread, durationNs }) => sum + (thread.tid === tid ? durationNs : 0), 0);
    expect(rows.map(({ tid }) => tid)).toHaveLength(3);
    for (const { tid, ns } of rows) expect(Number(ns)).toBe(ofThread(Number(tid)));
  });
});

test('calls of several stacks nest, each on its track', async () => {
  const fibers = inputOf(fixture('truth/ptemu-boostfiber.perf.txt.gz'), 'fibers');
  const requests = await askRequests([fibers], { root: 'consume', maxSpans: 1e6 });
  await read(requests);
  const { spans } = requestsAnswer(requests).details[0]?.parts[0] ?? { spans: [] };
  const rows = await processor.ask('select name, dur from slice');
  expect(rows.map(({ name, dur }) => `${name} ${dur}`).sort()).toEqual(
    spans.map(({ name, durationNs }) => `${name} ${durationNs}`).sort(),
  );
});

test('several hosts are apart, and arrows lead from one to the other', async () => {
  await read(await askTwoHosts());
  const arrows = await processor.ask(`
    with hosts as (
      select track.id as track_id, host.name as host from track
        join track as process on process.id = track.parent_id join track as host on host.id = process.parent_id)
    select giver.host as "from", taker.host as "to", count(*) as arrows
    from flow
      join slice as out on out.id = slice_out join hosts as giver on giver.track_id = out.track_id
      join slice as work on work.id = slice_in join hosts as taker on taker.track_id = work.track_id
    group by 1, 2`);
  expect(arrows).toEqual([{ from: 'web', to: 'db', arrows: 3n }]);
});
