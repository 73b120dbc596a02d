/**
 * Calls of recordings without Intel PT, from samples of probes at entries and returns.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { SampleContext, type SampleTable } from '../../src/model/sample-table.js';
import { SampleTablesBuilder } from '../../src/model/sample-tables-builder.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { RecordedEvent, Recording } from '../../src/perfdata/recording.js';
import { analyze, askLatency } from '../../src/pipeline/analyze.js';
import type { SampledRecording } from '../../src/pipeline/read/recording-source.js';
import { withTrace } from '../../src/pipeline/with-trace.js';
import { askRequests } from '../../src/questions/requests/ask-requests.js';
import { renderFolded } from '../../src/render/folded.js';
import { fileOf } from '../helpers/perf/perf-data.js';
import { fixture } from '../helpers/traces/load.js';

let empty: Recording;
beforeAll(async () => {
  const { samples, ...recording } = await readRecording(fileOf(fixture('waits/waitlab.proc.data.gz')));
  empty = { ...recording, samples: { ...samples, tables: [], others: [] }, sideband: [] };
});

const START_SECONDS = 100;
const timeAt = (us: number) => ({ seconds: START_SECONDS, ns: us * 1000 });

/**
 * A line is "microseconds thread what": "10 7 cmd 900" enters cmd where the stack pointer is 900, "20 7 cmd/ 900" returns from it;
 * without a pointer there is none. "12 7 out", "12 7 preempted", "14 7 in": the thread leaves a CPU, and gets one.
 */
function recorded(text: string, spans: readonly string[] = []): SampledRecording {
  const tables = new SampleTablesBuilder();
  const sideband: RecordedEvent[] = [];
  const lines = text.trim().split('\n');
  for (const line of lines) {
    const [us, tid, what = '', pointer] = line.trim().split(/\s+/);
    const [timeNs, thread] = [Number(us) * 1000, Number(tid)];
    if (what === 'in' || what === 'out' || what === 'preempted') {
      const record = { what: 'switch', direction: what } as const;
      sideband.push({ tid: thread, pid: 7, cpu: -1, time: timeAt(Number(us)), record });
      continue;
    }
    const table = tables.table(`probe_server:${what.replace('/', '__return')}`);
    const row = table.addRow(timeNs, thread, 7, thread % 2, SampleContext.Task);
    if (pointer !== undefined) table.field('sp').setNumber(row, Number(pointer));
  }
  const samples = { ...empty.samples, originSeconds: START_SECONDS, tables: tables.build() as SampleTable[] };
  const bounds = { start: timeAt(0), end: timeAt(100) };
  return {
    name: 'server.data',
    sampled: { ...empty, samples, sideband, bounds },
    sides: [],
    recorded: null,
    broken: null,
    spans,
  };
}

/** "thread path microseconds". */
async function stacks(text: string, spans?: readonly string[]): Promise<string[]> {
  const profile = await analyze([recorded(text, spans)]);
  const lines = [...renderFolded(profile)].join('').trim().split('\n');
  return lines.map((line) => line.replace(/\d+$/, (ns) => String(Number(ns) / 1000)));
}

/** "thread from to" in microseconds, of those whose start and end were seen. */
async function calls(text: string, name = 'cmd', spans?: readonly string[]) {
  const options = { durations: true, trees: 'apart' } as const;
  const found = await askLatency([recorded(text, spans)], { functions: name, slowest: 10 }, options);
  const rows = found.calls.slowest.map(({ tid, startNs, durationNs }) => [
    tid,
    startNs / 1000,
    (startNs + durationNs) / 1000,
  ]);
  rows.sort((a, b) => a[1] - b[1] || b[2] - a[2]);
  const { leftOutCalls } = found.profile.quality;
  return { calls: rows.map((row) => row.join(' ')), leftOut: leftOutCalls ?? 0 };
}

const THREAD = '0 7 in\n99 7 out\n';

describe('calls between probes', () => {
  test.for(['foo', 'cmd..foo', /^foo/] as const)('are named if there is no function %s', async (functions) => {
    const text = `${THREAD}10 7 cmd 900\n20 7 parse 800\n50 7 parse/ 800\n60 7 cmd/ 900`;
    const asked = askLatency([recorded(text)], { functions, slowest: 1 }, { durations: true, trees: 'apart' });
    await expect(asked).rejects.toMatchObject({
      code: 'NO_SUCH_FUNCTION',
      hint: expect.stringMatching(
        /it has calls that probes show: cmd, parse; record --probe NAME=FILE:FUNCTION%calls adds/,
      ),
    });
  });

  test('are a tree, with the time without a CPU in it', async () => {
    const text = `0 7 in
      10 7 cmd 900
      20 7 parse 800
      25 7 out
      45 7 in
      50 7 parse/ 800
      60 7 cmd/ 900
      70 7 preempted
      80 7 in
      100 7 out`;
    expect(await stacks(text)).toEqual([
      '[not probed] 40',
      '[not probed];[untraced] 0',
      '[not probed];[untraced];[off-cpu] 0',
      '[not probed];[untraced];[preempted] 10',
      '[not probed];cmd 20',
      '[not probed];cmd;parse 10',
      '[not probed];cmd;parse;[untraced] 0',
      '[not probed];cmd;parse;[untraced];[off-cpu] 20',
    ]);
  });

  test('are those that entry and return have at the same place in the stack', async () => {
    const recursion = `${THREAD}10 7 cmd 900\n20 7 cmd 800\n30 7 cmd/ 800\n40 7 cmd/ 900\n50 7 cmd 900\n60 7 cmd/ 900`;
    expect(await calls(recursion)).toEqual({ calls: ['7 10 40', '7 20 30', '7 50 60'], leftOut: 0 });
  });

  test.each([
    ['an exception left is none', '10 7 cmd 900\n30 7 cmd 900\n40 7 cmd/ 900', ['7 30 40'], 1],
    ['its caller caught is none', '10 7 cmd 900\n20 7 cmd 800\n40 7 cmd/ 900', ['7 10 40'], 1],
    ['a jump to another function ended is none', '10 7 cmd 900\n20 7 parse 900\n30 7 parse/ 900', [], 1],
  ])('one that %s', async (_, text, expected, leftOut) => {
    expect(await calls(`${THREAD}0 7 cmd 990\n1 7 cmd/ 990\n${text}`)).toEqual({
      calls: ['7 0 1', ...expected],
      leftOut,
    });
  });

  test('may have begun before the recording, or end after it', async () => {
    const text = '5 7 parse/ 800\n10 7 cmd/ 900\n20 7 cmd 900\n30 7 cmd/ 900\n50 7 cmd 900\n60 7 parse 800';
    expect((await calls(`${THREAD}${text}`)).calls).toEqual(['7 20 30']);
    expect(await stacks(`${THREAD}${text}`)).toEqual([
      '[not probed] 30',
      '[not probed];cmd 25',
      '[not probed];cmd;parse 44',
      '[not probed];cmd;parse;[untraced] 0',
      '[not probed];cmd;parse;[untraced];[off-cpu] 0',
    ]);
  });

  test('need no stack pointer: perf has none', async () => {
    const text = '10 7 cmd\n20 7 cmd\n30 7 cmd/\n40 7 cmd/';
    expect((await calls(`${THREAD}${text}`)).calls).toEqual(['7 10 40', '7 20 30']);
  });

  test('are of their own threads', async () => {
    const text = '10 7 cmd 900\n11 8 cmd 900\n20 8 cmd/ 900\n30 7 cmd/ 900';
    expect((await calls(text)).calls).toEqual(['7 10 30', '8 11 20']);
  });

  test('do not make a call of a probe that has no return', async () => {
    const inputs = [recorded('10 7 cmd 900\n20 7 parse 800')];
    await expect(withTrace(inputs, { byCalls: false }, async () => null)).rejects.toMatchObject({
      code: 'NO_BRANCHES',
      hint: expect.stringContaining('%calls'),
    });
  });
});

describe('a span from one probe to another', () => {
  test('begins anew where its first probe comes again', async () => {
    const text = `${THREAD}10 7 parse\n20 7 parse\n30 7 reply\n40 7 reply\n50 7 parse\n55 7 reply`;
    expect((await calls(text, 'parse..reply', ['parse..reply'])).calls).toEqual(['7 20 30', '7 50 55']);
  });

  test('is kept where calls of functions cross it', async () => {
    const text = `${THREAD}10 7 parse\n20 7 cmd 900\n30 7 reply\n40 7 cmd/ 900\n50 7 cmd 900\n60 7 cmd/ 900`;
    expect(await calls(text, 'parse..reply', ['parse..reply'])).toMatchObject({ calls: ['7 10 30'], leftOut: 1 });
    expect((await calls(text, 'cmd', ['parse..reply'])).calls).toEqual(['7 50 60']);
  });

  test('is of events that were recorded', async () => {
    await expect(calls(`${THREAD}10 7 cmd\n20 7 cmd/`, 'parse..reply', ['parse..reply'])).rejects.toMatchObject({
      code: 'NO_SUCH_FUNCTION',
    });
  });
});

test('before a CPU has overwritten its samples, calls are not known', async () => {
  const text = '10 8 cmd 900\n60 8 cmd/ 900\n70 8 cmd 900\n80 8 cmd/ 900\n40 7 parse 800\n50 7 parse/ 800';
  const callsIn = async (command: readonly string[]) => {
    const { sampled, ...input } = recorded(text);
    const inputs = [{ ...input, sampled: { ...sampled, command } }];
    const { calls } = await askLatency(inputs, { functions: 'cmd', slowest: 9 }, { durations: true });
    return calls.slowest.map(({ durationNs }) => durationNs);
  };
  expect(await callsIn(['perf', 'record'])).toEqual([50_000, 10_000]);
  expect(await callsIn(['perf', 'record', '--overwrite'])).toEqual([10_000]);
});

test('the slowest calls have the arguments and the result that probes recorded, without the stack pointer', async () => {
  const { sampled, ...input } = recorded('10 7 cmd 900\n30 7 cmd/ 900\n40 7 cmd 900\n45 7 cmd/ 900');
  const [entry, exit] = sampled.samples.tables as [SampleTable, SampleTable];
  const job = { name: 'job', style: 'hexadecimal', numbers: Float64Array.of(0x7f0010, -16), texts: null } as const;
  const value = { name: 'value', numbers: Float64Array.of(-1, Number.NaN), texts: null } as const;
  const tables = [
    { ...entry, fields: [...entry.fields, job] },
    { ...exit, fields: [...exit.fields, value] },
  ];
  const inputs = [{ ...input, sampled: { ...sampled, samples: { ...sampled.samples, tables } } }];
  const { calls } = await askLatency(inputs, { functions: 'cmd', slowest: 9 }, { durations: true });
  expect(calls.slowest.map(({ values }) => values)).toEqual([
    [
      { at: 'entry', name: 'job', value: '0x7f0010' },
      { at: 'return', name: 'value', value: '-1' },
    ],
    [{ at: 'entry', name: 'job', value: '0xfffffffffffffff0' }],
  ]);
});

test('requests are calls between probes, with the work of others by keys', async () => {
  const { requests } = await askRequests([recorded(`${THREAD}10 7 cmd 900\n40 7 cmd/ 900\n20 8 in\n90 8 out`)], {
    root: 'cmd',
    slowest: 1,
  });
  expect(requests).toMatchObject({ requests: 1, cut: 0, threads: 1 });
  expect(requests.details[0]).toMatchObject({ durationNs: 30_000 });
});
