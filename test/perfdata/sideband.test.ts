/**
 * The sideband records of a recording equal what our parser reads from the output of perf script.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePerfLine } from '../../src/parser/lines/perf-line.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { RecordedEvent } from '../../src/perfdata/recording.js';
import { auxtrace, fileOf, perfData, record, text, trailer, u32, u64 } from '../helpers/perf/perf-data.js';
import { fixture } from '../helpers/traces/load.js';

const NAMES = readdirSync('fixtures/perfdata').flatMap((file) => (file.endsWith('.data') ? [file.slice(0, -5)] : []));

function parsed(lines: string) {
  return lines
    .split('\n')
    .map(parsePerfLine)
    .flatMap((line) => (line.type === 'sideband' ? [line] : []))
    .map(({ prefix: { tid, pid, cpu, time }, record }) => ({ tid, pid, cpu: cpu ?? -1, time, record }));
}

describe('recordings', () => {
  test('exist', () => expect(NAMES.length).toBeGreaterThan(5));

  test.each(NAMES)('%s has the records that perf script prints', async (name) => {
    const { sideband: all, damage } = await readRecording(fileOf(fixture(`perfdata/${name}.data`)));
    const sideband = all.filter(({ record }) => record.what !== 'traced'); // perf script does not print it
    const lines = parsed(fixture(`perfdata/${name}.sideband.txt`).toString('latin1'));
    expect(lines.length).toBeGreaterThan(5);
    expect(sideband.map(({ next, ...event }) => event)).toEqual(lines); // the next thread is for the decoder
    expect(damage).toEqual([]);
  });
});

test('a switch out of a CPU names the thread that the CPU switches to', async () => {
  const { sideband } = await readRecording(fileOf(fixture('perfdata/four-cpus.data')));
  const switches = sideband.filter(({ record }) => record.what === 'switch');
  let pairs = 0;
  switches.forEach(({ cpu, next }, row) => {
    const following = switches.slice(row + 1).find((event) => event.cpu === cpu);
    if (next === undefined || following === undefined || following.next) return;
    expect({ pid: following.pid, tid: following.tid }).toEqual(next);
    pairs++;
  });
  expect(pairs).toBeGreaterThan(10);
});

async function sidebandOf(...records: Buffer[]) {
  return (await readRecording(fileOf(perfData({ records })))).sideband;
}

const comm = (name: string, ns: number | bigint) => record(3, 0, u32(7), u32(7), text(name), trailer({ ns }));
const nameOf = ({ record }: RecordedEvent) => (record.what === 'comm' ? record.name : '');

describe('reads from hand-made records', () => {
  test('the exit of a thread', async () => {
    const exit = record(4, 0, u32(7), u32(1), u32(8), u32(1), u64(5), trailer({ pid: 7, tid: 8, ns: 5, cpu: 3 }));
    const place = { pid: 7, tid: 8, cpu: 3, time: { seconds: 0, ns: 5 } };
    expect(await sidebandOf(exit)).toEqual([{ ...place, record: { what: 'exit', pid: 7, tid: 8 } }]);
  });

  test('the start of tracing a thread', async () => {
    const start = record(12, 0, u32(7), u32(8), trailer({ pid: 7, tid: 8, ns: 5, cpu: 3 }));
    const place = { pid: 7, tid: 8, cpu: 3, time: { seconds: 0, ns: 5 } };
    expect(await sidebandOf(start)).toEqual([{ ...place, record: { what: 'traced', pid: 7, tid: 8 } }]);
  });

  test('records by time; those of equal time, or from before, in the order of the file', async () => {
    const events = await sidebandOf(comm('c', 9), comm('a', 0), comm('d', 9), comm('b', 0), comm('e', 8));
    expect(events.map(nameOf)).toEqual(['a', 'b', 'e', 'c', 'd']);
  });

  test('exact times after 104 days of uptime, in order', async () => {
    const ns = 200n * 86_400n * 1_000_000_000n; // above 2^53
    const events = await sidebandOf(comm('b', ns + 1n), comm('a', ns), comm('c', ns + 2n));
    expect(events.map(nameOf)).toEqual(['a', 'b', 'c']);
    expect(events.map(({ time }) => time)).toEqual([0, 1, 2].map((ns) => ({ seconds: 17_280_000, ns })));
  });

  test('any time exactly', async () => {
    const nanoseconds = fc.oneof(...[40n, 56n, 64n].map((bits) => fc.bigInt({ min: 0n, max: 2n ** bits - 2n })));
    await fc.assert(
      fc.asyncProperty(nanoseconds, async (ns) => {
        const time = (await sidebandOf(comm('a', ns)))[0]?.time;
        expect([time?.seconds, time?.ns]).toEqual([Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)]);
      }),
    );
  });

  test('records across blocks of the file', async () => {
    const long = record(1000, 0, Buffer.alloc(65_000)); // of an unknown type
    const pieces = Array.from({ length: 3000 }, (_, row) => [
      comm(`${row}`, row + 1),
      ...(row % 100 === 7 ? [long] : []),
    ]);
    const trace = pieces.flatMap((records, row) => (row % 500 === 3 ? [...records, auxtrace(100_000 + row)] : records));
    const events = await sidebandOf(...trace);
    expect(events.map(nameOf)).toEqual(pieces.map((_, row) => `${row}`));
  });

  test('bounds without what existed before', async () => {
    const file = perfData({ records: [comm('a', 0), comm('b', 3_000_000_001), comm('c', 2_000_000_009)] });
    const { bounds } = await readRecording(fileOf(file));
    expect(bounds).toEqual({ start: { seconds: 2, ns: 9 }, end: { seconds: 3, ns: 1 } });
  });

  test('no time if perf calls it unknown', async () => {
    const [event] = await sidebandOf(comm('a', 2n ** 64n - 1n));
    expect(event?.time).toBeNull();
  });

  test('kernel addresses as distances below 2^64, like the parser', async () => {
    const mapping = [
      u32(-1),
      u32(0),
      u64(0xffffffff81000000n),
      u64(4096),
      u64(0xffffffff81000000n),
      text('[kernel.kallsyms]_text'),
    ];
    const [event] = await sidebandOf(record(1, 1, ...mapping, trailer()));
    const start = -0x7f000000;
    const place = { pid: -1, start, length: 4096, fileOffset: start };
    expect(event?.record).toEqual({ what: 'mmap', ...place, file: '[kernel.kallsyms]_text' });
  });

  test('names with any bytes', async () => {
    const name = '\xff\x1b[2J\n\x07:"';
    const [event] = await sidebandOf(comm(name, 1));
    expect(event?.record).toMatchObject({ what: 'comm', name });
  });

  test('a name that extends to the sample id', async () => {
    const [event] = await sidebandOf(record(3, 0, u32(7), u32(7), Buffer.from('12345678'), trailer({ ns: 1 })));
    expect(event?.record).toMatchObject({ name: '12345678' });
  });

  test('each record with the layout of its own event', async () => {
    const attributes = [{ ids: [1] }, { ids: [2], sampleType: 0x10004 }]; // the second: only TIME and IDENTIFIER
    const short = record(14, 0, u64(6), u64(2));
    const file = perfData({ attributes, records: [record(14, 0, trailer({ tid: 9, ns: 5, id: 1 })), short] });
    const { sideband } = await readRecording(fileOf(file));
    expect(sideband.map(({ tid, cpu, time }) => ({ tid, cpu, ns: time?.ns }))).toEqual([
      { tid: 9, cpu: 0, ns: 5 },
      { tid: -1, cpu: -1, ns: 6 },
    ]);
  });

  test('all fields of a sample id', async () => {
    const values = [u32(7), u32(9), u64(5), u64(1), u64(77), u32(3), u32(0), u64(1)]; // ids, time, id, stream, CPU, identifier
    const file = perfData({ attributes: [{ sampleType: 0x102c7 }], records: [record(14, 0, ...values)] });
    const [event] = (await readRecording(fileOf(file))).sideband;
    expect(event).toMatchObject({ pid: 7, tid: 9, cpu: 3, time: { seconds: 0, ns: 5 } });
  });

  test('the parent thread that created a thread, not the first of its process', async () => {
    const [event] = await sidebandOf(record(7, 0, ...[7, 6, 12, 11].map(u32), u64(1), trailer({ ns: 1 })));
    expect(event?.record).toEqual({ what: 'fork', pid: 7, parentPid: 6, tid: 12, parent: 11 });
  });

  test('unknown thread, CPU and time without sample ids', async () => {
    const file = perfData({ attributes: [{ flags: 0 }], records: [record(3, 0, u32(7), u32(8), text('a'))] });
    const [event] = (await readRecording(fileOf(file))).sideband;
    expect(event).toMatchObject({ pid: -1, tid: -1, cpu: -1, time: null, record: { pid: 7, tid: 8, name: 'a' } });
  });
});
