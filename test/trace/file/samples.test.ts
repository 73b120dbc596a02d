/**
 * Samples in trace files: the same waits as from the recording, and nothing else from a damaged file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { locksAnswer, valuesAnswer, waitsAnswer } from '../../../src/answers.js';
import { FileFault } from '../../../src/codec/file-fault.js';
import { analyze, askLocks, askValues, askWaits } from '../../../src/index.js';
import type { SampleTable } from '../../../src/model/sample-table.js';
import { type Nanoseconds, NONE } from '../../../src/model/units.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import type { AnalyzedInput } from '../../../src/pipeline/read/read-trace.js';
import type { Trace } from '../../../src/pipeline/read/trace.js';
import { withTrace } from '../../../src/pipeline/with-trace.js';
import { waitInputOf } from '../../../src/questions/waits/ask-waits.js';
import { readSamples, sampleBytes } from '../../../src/trace/file/records.js';
import { type Waits, waitsOf } from '../../../src/waits/waits.js';
import { ALONE, imported, refusalOfFile, stored } from '../../helpers/checks/files/trace-file.js';
import { encodedOf } from '../../helpers/perf/both-decoders.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';

const directory = mkdtempSync(join(tmpdir(), 'ptflame-stored-samples-'));
afterAll(() => rmSync(directory, { recursive: true }));

const HEAD_BYTES = 32;
const FRAME_BYTES = 20;
const SAMPLES = 7;

function traceOf(input: AnalyzedInput): Promise<Trace> {
  return withTrace([input], { byCalls: false, ...ALONE }, async (trace) => trace);
}

async function recording(): Promise<AnalyzedInput> {
  const path = join(directory, 'waits.data');
  writeFileSync(path, fixture('waits/waits.data.gz'));
  return { ...(await encodedOf(path, directory, false)), sides: [{ name: 'side', recording: null }] };
}

const branch = (time: string) => `77 [003] ${time}:   call          401000 main+0x0 => 402000 work+0x0\n`;
const TEXT = `${branch('12345.000000001')}${fixture('waits/waits.txt.gz')}${branch('12346.000000001')}`;

/** Returns times on perf's clock: those of a trace begin at its own time 0. */
const onClock = ({ originSeconds }: Trace, timeNs: Nanoseconds) => timeNs + (originSeconds ?? 0) * 1e9;

function tablesOf(trace: Trace): unknown[] {
  return trace.samples.map((table) => ({ ...table, timeNs: table.timeNs.map((time) => onClock(trace, time)) }));
}

function waitRows(trace: Trace): string[] {
  const waits: Waits = waitsOf(waitInputOf(trace));
  const { tid, outNs, inNs, wakeNs, waker, wakerKind, waitCall } = waits;
  return Array.from({ length: waits.length }, (_, row) =>
    [
      ...[outNs, inNs, wakeNs].map((times) => onClock(trace, times[row] as number)),
      ...[tid, waker, wakerKind, waitCall].map((column) => column[row]),
    ].join(' '),
  );
}

describe('an imported trace with samples', () => {
  test.each<[string, () => Promise<AnalyzedInput>]>([
    ['a recording', recording],
    ['text', async () => inputOf(TEXT)],
  ])('from %s has the same samples, waits and account', async (_, input) => {
    const file = await imported([await input()]);
    const [own, read] = [await traceOf(await input()), await traceOf(stored(file))];
    expect(own.samples.reduce((sum, { length }) => sum + length, 0)).toBe(737);
    expect(tablesOf(read)).toEqual(tablesOf(own));
    expect([read.account.samples, read.account.sides]).toEqual([own.account.samples, own.account.sides]);
    expect(waitRows(own).length).toBeGreaterThan(100);
    expect(waitRows(read)).toEqual(waitRows(own));
    expect(await imported([stored(file)]), 'imported again').toEqual(file);
  });

  test('from a recording without Intel PT answers as that, and has no calls', async () => {
    const sampled = await readRecording(fileOf(fixture('waits/waitlab.proc.data.gz')));
    const input: AnalyzedInput = { name: 'waitlab', sampled, sides: [], recorded: null, broken: null };
    const file = await imported([input]);
    const window = { from: { afterStartNs: 100_000_000 }, to: { afterStartNs: 200_000_000 } };
    for (const options of [{}, { window }]) {
      const waitsOf = async (from: AnalyzedInput) => waitsAnswer(await askWaits([from], { slowest: 3 }, options));
      const locksOf = async (from: AnalyzedInput) => locksAnswer(await askLocks([from], { slowest: 3 }, options));
      const valuesOf = async (from: AnalyzedInput) =>
        valuesAnswer(await askValues([from], { field: 'run_job:job' }, options));
      const waits = await waitsOf(input);
      expect(waits.stats.waits).toBeGreaterThan(50);
      expect(await waitsOf(stored(file))).toEqual(waits);
      expect(await locksOf(stored(file))).toEqual(await locksOf(input));
      expect(await valuesOf(stored(file))).toEqual(await valuesOf(input));
    }
    expect(await imported([stored(file)]), 'imported again').toEqual(file);
    await expect(analyze([stored(file)])).rejects.toMatchObject({
      code: 'NO_BRANCHES',
      message: expect.stringContaining('without an Intel PT trace'),
    });
  });

  test('is small', async () => {
    const file = await imported([inputOf(TEXT)]);
    expect(frameAt(file).bytes.length).toBeLessThan(737 * 20);
  });

  test('is of an older version without samples', async () => {
    const versionOf = async (text: string) => (await imported([inputOf(text)])).readUInt32LE(8);
    expect([await versionOf(TEXT), await versionOf(branch('1.000000001'))]).toEqual([3, 2]);
  });

  test('is refused if its samples are damaged; without them, salvaged', async () => {
    const file = await imported([inputOf(TEXT)]);
    const { at, bytes } = frameAt(file);
    file[at + FRAME_BYTES + (bytes.length >> 1)] ^= 1;
    expect(await refusalOfFile(file)).toMatchObject({ code: 'TRACE_FILE_DAMAGED' });
    const salvaged = await traceOf(stored(file, { salvage: true }));
    expect(salvaged.samples).toEqual([]);
    expect(salvaged.account.counts.events).toBe(2);
    expect(salvaged.account.broken).toMatchObject([{ reason: 'samples are lost' }]);
  });

  test('is refused or read, whatever its samples contain', async () => {
    const file = await imported([inputOf(TEXT)]);
    const { at, bytes } = frameAt(file);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (offset, value) => {
        const changed = Buffer.from(file);
        changed[at + FRAME_BYTES + offset] = value;
        changed.writeUInt32LE(crc32(changed.subarray(at + FRAME_BYTES, at + FRAME_BYTES + bytes.length)), at + 12);
        changed.writeUInt32LE(crc32(changed.subarray(at, at + 16)), at + 16);
        try {
          stored(changed);
        } catch (error) {
          expect(error).toMatchObject({ code: 'TRACE_FILE_DAMAGED' });
        }
      }),
      { numRuns: 60 },
    );
  });
});

function frameAt(file: Buffer): { readonly at: number; readonly bytes: Buffer } {
  let at = HEAD_BYTES;
  while (file[at] !== SAMPLES) at += FRAME_BYTES + file.readUInt32LE(at + 4);
  return { at, bytes: file.subarray(at + FRAME_BYTES, at + FRAME_BYTES + file.readUInt32LE(at + 4)) };
}

describe('the section of samples', () => {
  const row = fc.record({
    timeNs: fc.nat(2 ** 31),
    tid: fc.nat(2 ** 31 - 1),
    number: fc.oneof(fc.integer(), fc.constant(Number.NaN), fc.maxSafeInteger()),
    text: fc.string(),
  });
  const rows = fc.array(row, { minLength: 1, maxLength: 20 });

  function tableOf(all: readonly { timeNs: number; tid: number; number: number; text: string }[]): SampleTable {
    const tid = Int32Array.from(all, ({ tid }) => tid);
    return {
      ...{ event: 'a:b', length: all.length, timeNs: Float64Array.from(all, ({ timeNs }) => timeNs).sort(), tid },
      ...{
        pid: tid.map(() => NONE),
        cpu: tid.map((_, at) => at % 3),
        context: Uint8Array.from(all, (_, at) => at % 4),
      },
      fields: [
        { name: 'n', style: 'hexadecimal', numbers: Float64Array.from(all, ({ number }) => number), texts: null },
        { name: 't', style: 'signed', numbers: null, texts: all.map(({ text }) => text) },
      ],
    };
  }

  const account = { lines: 1, unreadable: 2, damaged: 3, lost: 4, lostSpans: [{ fromNs: -5, toNs: 7 }] };
  const sides = [{ input: 'x', side: 'y', isMissing: false, samples: 9, unreadable: 8, lost: 7 }];

  test('has any values', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const samples = { tables: [tableOf(all)], account, sides };
        expect(readSamples(sampleBytes(samples))).toEqual(samples);
      }),
      { numRuns: 60 },
    );
  });

  test('is refused if it is cut anywhere', () => {
    const bytes = sampleBytes({ tables: [tableOf([{ timeNs: 5, tid: 6, number: 7, text: 'x' }])], account, sides });
    for (let length = 0; length < bytes.length; length++)
      expect(() => readSamples(bytes.subarray(0, length))).toThrow(FileFault);
  });
});
