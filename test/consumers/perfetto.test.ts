/**
 * Tests that Perfetto shows what the trace has: every call of every fixture, with its times, and arrows between threads.
 */
import { describe, expect, test } from 'vitest';
import { renderPerfetto } from '../../src/export/perfetto/perfetto.js';
import type { LongestCalls } from '../../src/model/calls/call-events.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { Timeline } from '../../src/model/profile/timeline.js';
import { symbolLines } from '../../src/model/symbol-table.js';
import { analyzeForPage, type PageContents } from '../../src/page/contents/analyze-for-page.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type CallSlice, expectedSlices, sliceText } from '../helpers/checks/call-slices.js';
import { rendered } from '../helpers/checks/rendered.js';
import { SOME_WAKINGS } from '../helpers/checks/some-wakings.js';
import { everyNth } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { deepTrace } from '../helpers/traces/deep-trace.js';
import { fixture, inputOf } from '../helpers/traces/load.js';
import { convoyTrace } from '../helpers/traces/lock-trace.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';
import { type SqlRow, traceProcessorOfFile } from './trace-processor.js';

const processor = traceProcessorOfFile();

type Contents = PageContents & { readonly longestCalls: LongestCalls };

async function contentsOf(text: string | Uint8Array): Promise<Contents> {
  const asked = { trees: 'apart', timelineBytes: 2 ** 16, longestCalls: {} } as const;
  return (await analyzeForPage([inputOf(text)], asked)) as Contents;
}

/** Fails if Perfetto found anything wrong with the trace. */
async function read(contents: Contents): Promise<void> {
  await processor.read(await rendered(renderPerfetto(contents.profile, contents)));
  const problems = await processor.ask(
    "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
  );
  expect(problems).toEqual([]);
}

const MARKS = ['cut', 'unwound', 'left', 'resumed'];
const SLICES = `
  select coalesce(coalesce(thread.name, 'thread') || ' ' || tid, track.name) as thread,
    depth, ts, dur, slice.name, category, slice.id, slice.parent_id,
    ${MARKS.map((mark) => `extract_arg(slice.arg_set_id, 'debug.${mark}') as ${mark}`).join(', ')}
  from slice join track on track.id = slice.track_id
    left join thread_track on thread_track.id = slice.track_id left join thread using (utid)`;

function sliceOf(row: SqlRow): CallSlice {
  return {
    thread: `${row['thread']}`,
    depth: Number(row['depth']),
    startNs: row['ts'] as bigint,
    durationNs: Number(row['dur']),
    name: `${row['name']}`,
    category: `${row['category'] ?? ''}`,
    marks: MARKS.filter((mark) => row[mark] !== null),
  };
}

const readSlices = async () =>
  (await processor.ask(`${SLICES} where category is not 'waking' order by slice.id`)).map(sliceOf);
const sorted = (slices: readonly CallSlice[]) => slices.map(sliceText).sort();

async function expectSame(contents: Contents): Promise<void> {
  await read(contents);
  expect(sorted(await readSlices())).toEqual(sorted(expectedSlices(contents.profile, contents.longestCalls)));
}

/** Fixtures without call paths, or without times. */
const OTHERS = /fields-(?:callindent|default|power-events-default|timeless)|sideband/;
const TEXTS = traceFiles.filter((path) => !OTHERS.test(path)).map((path) => path.replace('fixtures/', ''));

describe('every call', () => {
  test.for(everyNth(TEXTS, 2))('of %s', async (name) => expectSame(await contentsOf(fixture(name))));
  test('whatever functions are called', async () => expectSame(await contentsOf(strangeTrace())));
});

/** Calls and own time by name; parts of a call are one call. */
const FUNCTIONS = `
  select name, sum(extract_arg(arg_set_id, 'debug.resumed') is null) as calls,
    sum(dur - coalesce((select sum(dur) from slice as child where child.parent_id = slice.id), 0)) as self
  from slice group by name`;

/** Of the call trees; stops are not calls there. */
function functionsOf({ threads, symbols }: Profile): Map<string, { calls: number; self: number }> {
  const functions = new Map<string, { calls: number; self: number }>();
  for (const { tree } of threads)
    for (let node = 1; node < tree.length; node++) {
      const symbol = tree.symbol[node] as number;
      const name = visibleText(symbols.name[symbol] as string);
      const { calls, self } = functions.get(name) ?? { calls: 0, self: 0 };
      functions.set(name, { calls: calls + (tree.calls[node] as number), self: self + (tree.selfNs[node] as number) });
    }
  return functions;
}

/** Fibers that are held, losses, calls that were cut, and exceptions. */
const FUNCTION_FIXTURES = [
  'demo/threads.perf.txt.gz',
  'lab/missing-binary.txt',
  'truth/ptemu-boostfiber.perf.txt.gz',
  'truth/ptemu-fcontext-cut-branches.perf.txt.gz',
  'truth/ptemu-cpp.perf.txt.gz',
];

test.for(FUNCTION_FIXTURES)('every function of %s has its calls and its time', async (name) => {
  const contents = await contentsOf(fixture(name));
  await read(contents);
  const rows = await processor.ask(FUNCTIONS);
  for (const [name, { calls, self }] of functionsOf(contents.profile)) {
    const row = rows.find((own) => own['name'] === name) ?? { calls: 0n, self: 0n };
    expect(Number(row['self']), name).toBe(self);
    if (!/^\[(syscall|off-cpu|preempted|untraced|lost)]$/.test(name)) expect(Number(row['calls']), name).toBe(calls);
  }
});

test('calls of a deep recursion have their times', async () => {
  const contents = await contentsOf(deepTrace(600));
  await read(contents);
  const slices = await processor.ask('select dur from slice where depth > 0 order by depth');
  expect(slices.map(({ dur }) => Number(dur))).toEqual(Array.from({ length: 511 }, (_, at) => 20 * (599 - at)));
});

test('threads belong to processes, and have names', async () => {
  await read(await contentsOf(fixture('demo/threads.perf.txt.gz')));
  const threads = await processor.ask(
    'select tid, thread.name, pid, process.name as of from thread join process using (upid) where tid > 0 order by tid',
  );
  expect(threads).toEqual(
    [5000n, 5001n, 5002n, 5003n, 5004n].map((tid) => ({ tid, name: 'threads', pid: 5000n, of: 'threads' })),
  );
});

test('wakings are arrows', async () => {
  const contents = await contentsOf(fixture('demo/threads.perf.txt.gz'));
  const timeline = { ...(contents.timeline as Timeline), wakings: SOME_WAKINGS };
  await read({ ...contents, timeline });
  const arrows = await processor.ask(`
    select waker.name as wakes, waiter.name as woken, waiter.ts - waker.ts as ns
    from flow join slice as waker on waker.id = slice_out join slice as waiter on waiter.id = slice_in`);
  expect(arrows).toEqual([{ wakes: 'wakes threads 5002', woken: 'woken by threads 5001', ns: 50n }]);
  const [waking] = await processor.ask("select count(*) as count from slice where category = 'waking'");
  expect(waking).toEqual({ count: 5n });
  expect(sorted(await readSlices())).toEqual(sorted(expectedSlices(contents.profile, contents.longestCalls)));
});

test('wakings of a trace are arrows', async () => {
  const contents = await contentsOf(convoyTrace());
  await read(contents);
  const arrows = await processor.ask(`
    select waker.name as wakes, waiter.name as woken, waker.ts as at, waiter.ts as until
    from flow join slice as waker on waker.id = slice_out join slice as waiter on waiter.id = slice_in order by at`);
  const { originNs } = contents.profile.meta;
  expect(arrows).toEqual([
    { wakes: 'wakes clerk 3', woken: 'woken by teller 2', at: originNs + 52n, until: originNs + 60n },
    { wakes: 'wakes customer 1', woken: 'woken by clerk 3', at: originNs + 92n, until: originNs + 100n },
  ]);
});

test('functions have the lines where they begin', async () => {
  const contents = await contentsOf(fixture('demo/threads.perf.txt.gz'));
  const { symbols } = contents.profile;
  const lines = symbolLines(symbols.name.map((own) => (own === 'burn' ? { file: '/src/m.c', line: 7 } : null)));
  await read({ ...contents, profile: { ...contents.profile, symbols: { ...symbols, lines } } });
  const rows = await processor.ask(`
    select name, extract_arg(arg_set_id, 'source.file_name') as file, extract_arg(arg_set_id, 'source.line_number') as line
    from slice where file is not null group by 1, 2, 3`);
  expect(rows).toEqual([{ name: 'burn', file: '/src/m.c', line: 7n }]);
});

test('the overview says where it was recorded, and the wall-clock time', async () => {
  const contents = await contentsOf(fixture('demo/threads.perf.txt.gz'));
  const recorded = { host: 'db1', kernel: null, cpu: null, perf: null, command: null, startedAt: STARTED_AT };
  const meta = { ...contents.profile.meta, recorded };
  await read({ ...contents, profile: { ...contents.profile, meta } });
  const host = "select str_value as value from metadata where name = 'trace_attribute.host'";
  expect(await processor.ask(host)).toEqual([{ value: 'db1' }]);
  const firstNs = BigInt(Math.round(meta.firstNs ?? meta.startNs));
  const atZero = "select clock_value as ns from clock_snapshot where clock_name = 'REALTIME'";
  expect(await processor.ask(atZero)).toEqual([{ ns: BigInt(Date.parse(STARTED_AT)) * 1_000_000n - firstNs }]);
});

const STARTED_AT = '2026-11-22T10:00:00.123Z';

test('counters have the running threads', async () => {
  await read(await contentsOf(fixture('lab/missing-binary.txt')));
  const counters = await processor.ask(
    'select name, unit, max(value) as most from counter join counter_track on counter_track.id = track_id group by name',
  );
  expect(counters.map(({ name, unit }) => [name, unit])).toEqual([
    ['running threads', 'threads'],
    ['threads with lost trace data', 'threads'],
  ]);
  for (const { most } of counters) expect(most).toBeLessThanOrEqual(1);
});
