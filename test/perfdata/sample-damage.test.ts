/**
 * Samples of damaged recordings, of recordings whose perf was killed, and of events that are laid out differently.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PtflameError } from '../../src/index.js';
import { numbersOf, tableOf } from '../../src/model/sample-table.js';
import { readFormatNotes } from '../../src/perfdata/event-format.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { fileOf, perfData, record, tracingData, u16, u32, u64 } from '../helpers/perf/perf-data.js';
import { perfLines, printedSamples } from '../helpers/perf/print-samples.js';
import { fixture } from '../helpers/traces/load.js';

const VALUES = fixture('waits/values.data.gz');
const EXPECTED = perfLines(fixture('waits/values.txt.gz').toString());
const DATA_SIZE_AT = 48;

/** As perf leaves it when it is killed: without the size of the data, and without the sections after it. */
function killed(bytes: Buffer): Buffer {
  const end = Number(bytes.readBigUInt64LE(40) + bytes.readBigUInt64LE(DATA_SIZE_AT));
  const copy = Buffer.from(bytes.subarray(0, end));
  copy.fill(0, DATA_SIZE_AT, DATA_SIZE_AT + 8);
  return copy;
}

/** Returns null if the recording is refused. */
async function readOrRefuse(bytes: Uint8Array, options = {}): Promise<Recording | null> {
  try {
    return await readRecording(fileOf(bytes), options);
  } catch (error) {
    if (error instanceof PtflameError) return null;
    throw error;
  }
}

const countOf = ({ samples }: Recording) => samples.tables.reduce((sum, { length }) => sum + length, 0);

/** perf 6.1 prints zeros for arrays of probes. */
const withoutLists = (line: string) => line.replaceAll(/list=\{[^}]*\}/g, 'list={}');

describe('where perf was killed', () => {
  test('counts samples as unreadable', async () => {
    const { samples } = await readRecording(fileOf(killed(VALUES)));
    expect(samples).toMatchObject({ tables: [], unreadable: EXPECTED.length, damaged: 0 });
  });

  test('reads them with the formats that were noted', async () => {
    const recording = await readRecording(fileOf(killed(VALUES)), { formats: readFormatNotes(await notes()) });
    expect(recording.samples).toMatchObject({ unreadable: 0, damaged: 0 });
    expect(printedSamples(recording).map(withoutLists)).toEqual(EXPECTED.map(withoutLists));
  });

  test('reads those whose format was noted', async () => {
    const ofProbes = (await notes()).split(/(?=^event )/m).filter((part) => part.startsWith('event probe_p:'));
    const formats = readFormatNotes(`garbage\n${ofProbes.join('')}event a:b\nno format\n`);
    expect(formats.map(({ event }) => event).sort()).toEqual(['probe_p:hexes', 'probe_p:ints', 'probe_p:texts']);
    const recording = await readRecording(fileOf(killed(VALUES)), { formats });
    expect(countOf(recording)).toBe(30);
    expect(recording.samples.unreadable).toBe(EXPECTED.length - 30);
  });

  /** The notes that were taken when it began: the format files, from the tracing data. */
  async function notes(): Promise<string> {
    const text = VALUES.toString('latin1');
    const { formats } = (await readRecording(fileOf(VALUES))).samples;
    return formats
      .map(({ event, id }) => {
        const [, name = ''] = event.split(':');
        const start = text.indexOf(`name: ${name}\nID: ${id}\n`);
        return `event ${event}\n${text.slice(start, text.indexOf('\n', text.indexOf('print fmt', start)))}\n`;
      })
      .join('');
  }
});

describe('in damaged recordings', () => {
  test('a truncated file has the samples before its end', async () => {
    const { formats } = (await readRecording(fileOf(VALUES))).samples;
    const all = new Set(EXPECTED.map(withoutLists));
    for (let bytes = 0; bytes < VALUES.length; bytes += 977) {
      const recording = await readOrRefuse(VALUES.subarray(0, bytes), { formats });
      if (recording === null) continue;
      expect(
        printedSamples(recording)
          .map(withoutLists)
          .filter((line) => !all.has(line)),
      ).toEqual([]);
      expect(recording.samples.damaged).toBe(0);
    }
  });

  test('whatever bytes are changed, tables are sorted and complete', async () => {
    const position = fc.tuple(fc.nat(VALUES.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(position, { minLength: 1, maxLength: 30 }), async (changes) => {
        const bytes = Buffer.from(VALUES);
        for (const [at, value] of changes) bytes[at] = value;
        for (const table of (await readOrRefuse(bytes))?.samples.tables ?? []) {
          expect(table.timeNs.every((time, row) => row === 0 || time >= table.timeNs[row - 1])).toBe(true);
          for (const { numbers, texts } of table.fields) expect((numbers ?? texts).length).toBe(table.length);
          expect([table.tid, table.pid, table.cpu, table.context].map(({ length }) => length)).toEqual(
            Array(4).fill(table.length),
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  test('formats without an end are damage, and the samples unreadable', async () => {
    const recording = await readRecording(fileOf(one({ features: { 1: TRACING_DATA.subarray(0, -20) } })));
    expect(recording.damage).toEqual(['a part after the records is truncated or damaged: TracingData']);
    expect(recording.samples).toMatchObject({ tables: [], unreadable: 1 });
  });

  test('a sample that is too short is damage', async () => {
    const recording = await readRecording(fileOf(one({ raw: RAW.subarray(0, 15) })));
    expect(recording.damage).toEqual([expect.stringMatching(/^the sample at byte \d+ is too short for its event/)]);
    expect(recording.samples).toMatchObject({ tables: [{ length: 0 }], unreadable: 0, damaged: 1 });
  });

  test('a text outside of its sample is damage, and empty', async () => {
    const raw = Buffer.concat([RAW.subarray(0, 12), u16(200), u16(4)]);
    const { samples } = await readRecording(fileOf(one({ raw })));
    expect(samples).toMatchObject({ damaged: 1, tables: [{ fields: [{ name: 'value' }, { texts: [''] }] }] });
  });
});

const ID = 300;
const TRACEPOINT = 2;
const FORMAT = `name: made
ID: ${ID}
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;
\tfield:__rel_loc char[] text;\toffset:12;\tsize:4;\tsigned:0;

print fmt: "value=%d text=%s", REC->value, __get_rel_str(text)
`;
/** The value -5, and "hi" right after the field that says where it is. */
const RAW = Buffer.concat([u16(ID), u16(0x08), u32(7), u32(-5), u16(0), u16(3), Buffer.from('hi\0')]);
const TRACING_DATA = tracingData('tests', FORMAT);

/** Lines of fields after those that all events have. */
function formatWith(fields: readonly string[], name = 'made', print = '"x"'): string {
  const [common = ''] = FORMAT.replace('name: made', `name: ${name}`).split('\tfield:int value');
  return `${common}${fields.map((field) => `\tfield:${field}\n`).join('')}\nprint fmt: ${print}\n`;
}

describe('formats that no kernel writes', () => {
  const numbers = (count: number, offset: (at: number) => number) =>
    Array.from({ length: count }, (_, at) => `u8 f${at};offset:${offset(at)};size:1;signed:0;`);

  test.each<[string, string]>([
    ['too many fields', formatWith(numbers(300, (at) => 8 + at))],
    ['fields that share bytes', formatWith(numbers(9, () => 8))],
    ['fields of one name', formatWith(['u8 a;offset:8;size:1;', 'u8 a;offset:9;size:1;'])],
    ['a name without measure', formatWith([], 'n'.repeat(1000))],
  ])('are damage: %s', async (_, format) => {
    const { damage, samples } = await readRecording(fileOf(one({ features: { 1: tracingData('tests', format) } })));
    expect(damage).toEqual(['an event of tests is described as no kernel does: its samples cannot be read']);
    expect(samples).toMatchObject({ tables: [], unreadable: 1 });
  });

  const LONG = Buffer.alloc(300);

  test('as many events and fields as no kernel has are damage', async () => {
    const formats = Array<string>(600).fill(formatWith(numbers(250, (at) => 8 + at)));
    const { damage } = await readRecording(
      fileOf(one({ raw: LONG, features: { 1: tracingData('tests', ...formats) } })),
    );
    expect(damage).toEqual(['a part after the records is truncated or damaged: TracingData']);
  });

  test('are read in linear time: long declarations, names and formats to print', async () => {
    const long = 'a'.repeat(1000);
    const declarations = formatWith(Array<string>(240).fill(`${long}-;offset:8;size:4;`));
    const print = formatWith(
      numbers(250, (at) => 8 + at),
      'made',
      'f0=%d '.repeat(40_000),
    );
    const formats = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? declarations : print));
    const notes = formats.map((text) => `event ${'a:'.repeat(50_000)} \n${text}`).join('');
    expect(readFormatNotes(notes)).toHaveLength(60);
    const { damage } = await readRecording(
      fileOf(one({ raw: LONG, features: { 1: tracingData('tests', ...formats) } })),
    );
    expect(damage).toEqual([]);
  });

  test('a sample has no more bytes of texts than it is long', async () => {
    const fields = Array.from({ length: 9 }, (_, at) => `__data_loc char[] t${at};offset:${8 + 4 * at};size:4;`);
    const place = Buffer.concat([u16(44), u16(20)]);
    const raw = Buffer.concat([RAW.subarray(0, 8), ...Array<Buffer>(9).fill(place), Buffer.alloc(20, 'x')]);
    const recording = await readRecording(
      fileOf(one({ raw, features: { 1: tracingData('tests', formatWith(fields)) } })),
    );
    expect(recording.samples.damaged).toBe(1);
    const texts = recording.samples.tables[0]?.fields.map((field) => field.texts?.[0]);
    expect(texts).toEqual([...Array(3).fill('x'.repeat(20)), ...Array(6).fill('')]);
  });

  test('states of threads have short names', async () => {
    const names = Array.from(
      { length: 300 },
      (_, at) => `{ ${at % 2 ? 1 : `0x${2 ** (at % 50)}`}, "${'S'.repeat(at)}" }`,
    );
    const format = formatWith(['long prev_state;offset:8;size:8;'], 'made', `{ 2, "D" } ${names.join(', ')}`);
    const raw = Buffer.concat([RAW.subarray(0, 8), Buffer.alloc(8, 0xff)]);
    const { samples } = await readRecording(fileOf(one({ raw, features: { 1: tracingData('tests', format) } })));
    const [state = ''] = samples.tables[0]?.fields[0]?.texts ?? [];
    expect(state).toMatch(/^D\|/);
    expect(state.length).toBeLessThan(300);
  });
});

interface Made {
  readonly raw?: Buffer;
  readonly features?: Readonly<Record<number, Buffer>>;
  readonly sampleType?: number;
  readonly readFormat?: number;
  /** Between the parts of fixed size and the raw data. */
  readonly between?: readonly Buffer[];
}

/** Builds a recording of two events, with one sample of the second. Its sample has identifier, IP, ids, time and CPU. */
function one({
  raw = RAW,
  features = { 1: TRACING_DATA },
  sampleType = 0,
  readFormat = 0,
  between = [],
}: Made): Buffer {
  const fixed = [u64(42), u64(0xffff), u32(7), u32(8), u64(5_000_000_123), u32(3), u32(0)];
  const sample = record(9, 0, ...fixed, ...between, u32(raw.length), raw);
  return perfData({
    attributes: [
      { ids: [41] },
      { type: TRACEPOINT, config: ID, ids: [42], sampleType: 0x10487 | sampleType, readFormat },
    ],
    records: [sample],
    features,
  });
}

describe('samples with other parts', () => {
  const group = [u64(2), u64(1), u64(11), u64(12), u64(21), u64(22)];
  test.each<[string, Made]>([
    ['only raw data', {}],
    ['a call chain', { sampleType: 1 << 5, between: [u64(2), u64(1), u64(2)] }],
    ['a counter', { sampleType: 1 << 4, readFormat: 0b00111, between: [u64(1), u64(2), u64(3), u64(4)] }],
    ['a group of counters', { sampleType: 1 << 4, readFormat: 0b01101, between: group }],
    [
      'counters with losses, and a call chain',
      {
        sampleType: (1 << 4) | (1 << 5),
        readFormat: 0b10000,
        between: [u64(1), u64(2), u64(1), u64(9)],
      },
    ],
  ])('reads samples with %s', async (_, made) => {
    const { samples, damage } = await readRecording(fileOf(one(made)));
    expect(damage).toEqual([]);
    const table = tableOf(samples.tables, 'tests:made');
    expect(table && numbersOf(table, 'value')?.[0]).toBe(-5);
    expect(table).toMatchObject({ length: 1, fields: [{}, { name: 'text', texts: ['hi'] }] });
    expect([table?.timeNs[0], table?.pid[0], table?.tid[0], table?.cpu[0], table?.context[0]]).toEqual([
      123, 7, 8, 3, 3,
    ]);
    expect(samples.originSeconds).toBe(5);
  });
});
