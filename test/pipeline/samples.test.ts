/**
 * Samples of recordings and of their side recordings in a trace.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type SampleTable, SwitchKind, tableOf } from '../../src/model/sample-table.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import type { SideRecording } from '../../src/perfdata/side-recording.js';
import type { AnalyzedInput } from '../../src/pipeline/read/read-trace.js';
import type { SampledRecording } from '../../src/pipeline/read/recording-source.js';
import type { Trace } from '../../src/pipeline/read/trace.js';
import { withTrace } from '../../src/pipeline/with-trace.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { fileOf } from '../helpers/perf/perf-data.js';
import { fixture } from '../helpers/traces/load.js';

const directory = mkdtempSync(join(tmpdir(), 'ptflame-samples-'));
afterAll(() => rmSync(directory, { recursive: true }));

const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));
const WAKING = 'sched:sched_waking';

function sampled(recording: Recording, sides: readonly SideRecording[] = []): SampledRecording {
  return { name: 'waitlab.data', sampled: recording, sides, recorded: null, broken: null };
}

function traceOf(inputs: readonly AnalyzedInput[]): Promise<Trace> {
  return withTrace(inputs, { byCalls: false, mayLackBranches: true }, async (trace) => trace);
}

const rowsOf = (table: SampleTable | null) =>
  Array.from({ length: table?.length ?? 0 }, (_, row) =>
    [
      table?.timeNs,
      table?.tid,
      table?.cpu,
      table?.context,
      ...(table?.fields ?? []).map((field) => field.texts ?? field.numbers),
    ]
      .map((column) => column?.[row])
      .join(' '),
  );

describe('samples in a trace', () => {
  test('a recording without Intel PT is a trace of samples and switches', async () => {
    const recording = await recordingOf('waitlab.proc');
    const { samples, store, account, originSeconds } = await traceOf([sampled(recording)]);
    expect(samples.map(({ event, length }) => [event, length])).toEqual(
      recording.samples.tables.map(({ event, length }) => [event, length]),
    );
    expect(originSeconds).toBe(6082);
    expect(tableOf(samples, 'sched:sched_switch')?.timeNs[0]).toBe(626_664_245);
    expect(account).toMatchObject({ samples: { unreadable: 0, damaged: 0, lost: 0 }, sides: [] });
    const switches = store.switches();
    const recorded = recording.sideband.filter(({ record }) => record.what === 'switch');
    expect(switches.length).toBe(recorded.length);
    expect(switches.kind.filter((kind) => kind === SwitchKind.Preempted)).toHaveLength(
      recorded.filter(({ record }) => record.what === 'switch' && record.direction === 'preempted').length,
    );
    const rows = Array.from(switches.timeNs, (timeNs, row) => ({ timeNs, tid: switches.tid[row] }));
    expect(rows).toEqual(rows.toSorted((a, b) => a.tid - b.tid || a.timeNs - b.timeNs));
  });

  test('joins a side recording; a waking in both is one', async () => {
    const [main, side] = await Promise.all(['waitlab.proc', 'waitlab.wake'].map(recordingOf));
    if (main === undefined || side === undefined) throw new Error('no fixtures');
    const { samples, account } = await traceOf([sampled(main, [{ name: 'side', recording: side }])]);
    const joined = rowsOf(tableOf(samples, WAKING));
    expect(joined).toEqual(rowsOf(tableOf((await traceOf([sampled(main), sampled(side)])).samples, WAKING)));
    const own = new Set(rowsOf(tableOf((await traceOf([sampled(main)])).samples, WAKING)));
    expect(own.size).toBe(213);
    expect(joined.filter((row) => own.has(row))).toHaveLength(213);
    expect(joined).toHaveLength(213 + 117);
    expect(account.sides).toEqual([
      { input: 'waitlab.data', side: 'side', isMissing: false, samples: 269, unreadable: 0, lost: 0 },
    ]);
  });

  test('leaves out what a side recording has before and after its recording', async () => {
    const [main, side] = (await Promise.all(['waitlab.proc', 'waitlab.wake'].map(recordingOf))) as [
      Recording,
      Recording,
    ];
    const start = { seconds: 6083, ns: 0 };
    const end = { seconds: 6083, ns: 2e8 };
    const recording = { ...main, samples: { ...main.samples, tables: [] }, bounds: { start, end } };
    const timesOf = ({ samples, originSeconds }: Trace) =>
      Array.from(
        tableOf(samples, WAKING)?.timeNs ?? [],
        (timeNs) => timeNs + ((originSeconds ?? 0) - start.seconds) * 1e9,
      );
    const all = timesOf(await traceOf([sampled(side)]));
    const within = all.filter((timeNs) => timeNs >= 0 && timeNs <= 2e8);
    expect(timesOf(await traceOf([sampled(recording, [{ name: 'side', recording: side }])]))).toEqual(within);
    expect([within.length > 0, all[0] < 0, (all.at(-1) ?? 0) > 2e8]).toEqual([true, true, true]);
  });

  test('does not depend on the order of the inputs', async () => {
    const [main, side] = (await Promise.all(['waitlab.proc', 'waitlab.wake'].map(recordingOf))) as [
      Recording,
      Recording,
    ];
    const [one, other] = await Promise.all([
      traceOf([sampled(main), sampled(side)]),
      traceOf([sampled(side), sampled(main)]),
    ]);
    expect(other.samples.map(rowsOf)).toEqual(one.samples.map(rowsOf));
  });

  test('the own decoder has the samples of a recording with Intel PT', async () => {
    const path = join(directory, 'waits.data');
    writeFileSync(path, fixture('waits/waits.data.gz'));
    const encoded = { ...(await encodedOf(path, directory, false)), sides: [{ name: 'side', recording: null }] };
    const { samples, account } = await traceOf([encoded]);
    const alone = (await traceOf([sampled(encoded.recording)])).samples;
    expect(samples.map(rowsOf)).toEqual(alone.map(rowsOf));
    expect(samples.reduce((sum, { length }) => sum + length, 0)).toBe(737);
    expect(account).toMatchObject({ withoutTrace: [], sides: [{ isMissing: true }] });
  });

  test('notes a missing side recording', async () => {
    const { account } = await traceOf([
      sampled(await recordingOf('waitlab.proc'), [{ name: 'side', recording: null }]),
    ]);
    expect(account.sides).toMatchObject([{ side: 'side', isMissing: true, samples: 0 }]);
  });

  test('questions about calls refuse a recording without Intel PT', async () => {
    const inputs = [sampled(await recordingOf('waitlab.proc'))];
    await expect(withTrace(inputs, { byCalls: false }, async (trace) => trace)).rejects.toMatchObject({
      code: 'NO_BRANCHES',
      hint: expect.stringContaining('ptflame waits'),
    });
  });
});
