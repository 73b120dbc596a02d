/**
 * Machine, settings, trace and losses of a recording. The numbers of the fixtures are those that
 * `perf script --no-itrace -D` and `--header-only` show.
 */
import { describe, expect, test } from 'vitest';
import { readRecording } from '../../src/perfdata/read-recording.js';
import { isRecording } from '../../src/perfdata/recognize.js';
import type { Recording } from '../../src/perfdata/recording.js';
import {
  auxtrace,
  auxtraceInfo,
  countedText,
  fileOf,
  type PerfData,
  perfData,
  record,
  TRACE_NUMBERS,
  text,
  trailer,
  u32,
  u64,
} from '../helpers/perf/perf-data.js';
import { fixture } from '../helpers/traces/load.js';

const recordingOf = (name: string) => readRecording(fileOf(fixture(`perfdata/${name}.data`)));
const handMade = (data: PerfData) => readRecording(fileOf(perfData(data)));

function bytesByCpu({ buffers }: Recording): Record<number, number> {
  const sums: Record<number, number> = {};
  for (const { cpu, sizeBytes } of buffers) sums[cpu] = (sums[cpu] ?? 0) + sizeBytes;
  return sums;
}

describe('recordings', () => {
  test.each([
    ['one-cpu', { 0: 4344 }, 1],
    ['overflow', { 0: 4088 }, 1],
    ['switch-mode-2', { 0: 5216, 1: 3504 }, 14],
    ['truncated', { 0: 4808, 1: 3504 }, 16],
    ['four-cpus', { 0: 3816, 1: 1960, 2: 2536, 3: 2872 }, 17],
    ['no-trace', {}, 0],
  ])('%s has its bytes of trace by CPU, and AUX records', async (name, bytes, auxRecords) => {
    const recording = await recordingOf(name);
    expect(bytesByCpu(recording)).toEqual(bytes);
    expect(recording.auxRecords).toHaveLength(auxRecords);
  });

  test('finds the bytes of a trace buffer', async () => {
    const { buffers } = await recordingOf('one-cpu');
    const psb = '02820282028202820282028202820282'; // the packet with which a trace begins
    const at = buffers[0]?.fileOffset ?? 0;
    expect(
      fixture('perfdata/one-cpu.data')
        .subarray(at, at + 16)
        .toString('hex'),
    ).toBe(psb);
  });

  test('finds truncated AUX records', async () => {
    const { auxRecords } = await recordingOf('truncated');
    expect(
      auxRecords.filter(({ isTruncated }) => isTruncated).map(({ cpu, tid, time }) => ({ cpu, tid, time })),
    ).toEqual([
      { cpu: 0, tid: 5003, time: { seconds: 12345, ns: 678910709 } },
      { cpu: 0, tid: 5003, time: { seconds: 12345, ns: 678929051 } },
    ]);
    expect(auxRecords[1]).toMatchObject({ auxOffset: 0, sizeBytes: 0x791, isTruncated: false });
    expect(auxRecords[3]).toMatchObject({ auxOffset: 0x791, sizeBytes: 0xff, isTruncated: true });
  });

  test('reads machine, command and event', async () => {
    expect(await recordingOf('four-cpus')).toMatchObject({
      machine: {
        hostName: 'ptemu',
        architecture: 'x86_64',
        cpu: 'Emulated Intel(R) processor with Intel PT @ 3.00GHz',
        cpusOnline: 4,
        cpusAvailable: 4,
        memoryBytes: 4 * 2 ** 30,
        perfVersion: '6.1.ptemu',
      },
      eventName: 'intel_pt/cyc/u',
      bounds: { start: { seconds: 12345, ns: 678889752 }, end: { seconds: 12345, ns: 679130135 } },
    });
    expect((await recordingOf('four-cpus')).command?.slice(0, 4)).toEqual([
      './ptemu',
      'record',
      '-o',
      'four-cpus.data',
    ]);
  });

  test('reads how tracing was set up', async () => {
    const settings = {
      isPerCpu: true,
      isSnapshot: false,
      hasTime: true,
      hasCycles: true,
      hasKernel: false,
      filter: '',
    };
    expect((await recordingOf('four-cpus')).trace).toEqual({ ...settings, switches: 'all' });
    expect((await recordingOf('switch-mode-2')).trace).toEqual({ ...settings, switches: 'own' });
  });

  test('reads a recording of other events, without Intel PT', async () => {
    const { trace, eventName, machine, buildIds } = await recordingOf('no-trace');
    expect({ trace, eventName, perf: machine.perfVersion }).toEqual({ trace: null, eventName: null, perf: '6.1.192' });
    expect(buildIds).toHaveLength(4);
    expect(buildIds).toContainEqual({
      file: '/usr/lib/x86_64-linux-gnu/libc.so.6',
      buildId: '93ac61ec5a8eb1396f9fbd350e3169a558528a40',
      isKernel: false,
    });
    expect(buildIds[0]).toMatchObject({ file: '[kernel.kallsyms]', isKernel: true });
  });

  test('reads build ids of mappings', async () => {
    const { buildIds } = await recordingOf('build-ids-of-mappings');
    expect(buildIds.filter(({ file }) => file === '/usr/bin/dash')).toEqual([
      { file: '/usr/bin/dash', buildId: 'be6397ddffc3e384c505d7deab3bed190c884df9', isKernel: false },
    ]);
  });

  test('recognizes recordings by their first bytes', () => {
    expect(isRecording(fixture('perfdata/one-cpu.data').subarray(0, 8))).toBe(true);
    expect(isRecording(Buffer.from('PERFILE'))).toBe(false);
  });
});

describe('hand-made files', () => {
  test('have no CPU for the buffer of a thread', async () => {
    const { buffers } = await handMade({ records: [auxtrace(16, { cpu: -1, tid: 12, offset: 48 })] });
    expect(buffers).toMatchObject([{ cpu: -1, tid: 12, sizeBytes: 16, auxOffset: 48 }]);
  });

  test('have no thread for the buffer of a CPU', async () => {
    const { buffers } = await handMade({ records: [auxtrace(16, { cpu: 2, tid: 12 })] });
    expect(buffers).toMatchObject([{ cpu: 2, tid: -1 }]);
  });

  test('sum up lost records and lost samples', async () => {
    const lost = record(2, 0, u64(1), u64(17), trailer());
    const lostSamples = record(13, 0, u64(3), trailer());
    expect((await handMade({ records: [lost, lostSamples] })).lostRecords).toBe(20);
  });

  test('know when records were lost: after the record before in the buffer of the same CPU', async () => {
    const at = (ns: number, cpu: number) => trailer({ ns, cpu });
    const switched = (ns: number, cpu: number) => record(14, 0, at(ns, cpu));
    const lost = (ns: number, cpu: number) => record(2, 0, u64(1), u64(17), at(ns, cpu));
    const records = [switched(100, 0), switched(300, 1), lost(500, 0), lost(600, 2), lost(700, 0), lost(0, 1)];
    const ns = (count: number) => ({ seconds: 0, ns: count });
    expect((await handMade({ records })).losses).toEqual([
      { after: ns(100), before: ns(500) },
      { after: null, before: ns(600) },
      { after: ns(500), before: ns(700) },
      { after: null, before: null },
    ]);
  });

  test.each([
    ['isTruncated', 1],
    ['isOverwrite', 2],
    ['isPartial', 4],
    ['isCollision', 8],
  ])('have AUX records with %s', async (flag, bit) => {
    const none = { isTruncated: false, isOverwrite: false, isPartial: false, isCollision: false };
    const { auxRecords } = await handMade({ records: [record(11, 0, u64(5), u64(6), u64(bit), trailer({ ns: 1 }))] });
    expect(auxRecords).toEqual([
      { cpu: 0, tid: 7, time: { seconds: 0, ns: 1 }, auxOffset: 5, sizeBytes: 6, ...none, [flag]: true },
    ]);
  });

  test('have the settings that perf wrote', async () => {
    const numbers = TRACE_NUMBERS.with(7, 1).with(8, 1).with(9, 0).with(16, 16);
    const filter = text('filter a @ /b');
    const records = [auxtraceInfo(numbers.slice(0, 17), filter)];
    const { trace, eventName } = await handMade({ records, attributes: [{ config: 0x400, flags: 1 << 18 }] });
    expect(trace).toEqual({
      isPerCpu: false,
      isSnapshot: true,
      hasTime: true,
      hasCycles: false,
      hasKernel: true,
      switches: 'tracepoint',
      filter: 'filter a @ /b',
    });
    expect(eventName).toBe('intel_pt//');
  });

  test.each([
    ['the clock cannot be converted', { records: [auxtraceInfo(TRACE_NUMBERS.with(4, 0))] }],
    ['tsc was off', { records: [auxtraceInfo()], attributes: [{ config: 0x2 }] }],
    ['records have none', { records: [auxtraceInfo()], attributes: [{ sampleType: 0x10082 }] }],
  ])('have no time if %s', async (_, data) => {
    expect((await handMade(data)).trace?.hasTime).toBe(false);
    expect((await handMade({ records: [auxtraceInfo()] })).trace?.hasTime).toBe(true);
  });

  test('have no Intel PT if the trace is of another kind', async () => {
    const { trace } = await handMade({ records: [record(70, 0, u32(2), u32(0), u64(8))] });
    expect(trace).toBeNull();
  });

  test('may have a shorter list of settings, from older perf', async () => {
    const { trace } = await handMade({ records: [auxtraceInfo(TRACE_NUMBERS.slice(0, 10))] });
    expect(trace).toMatchObject({ isPerCpu: true, hasTime: true, hasCycles: false, filter: '' });
  });

  test('identify an event by its PMU, whose number the machine chose', async () => {
    const unit = Buffer.concat([u32(2), u32(1), countedText('software'), u32(8), countedText('intel_pt')]);
    expect((await handMade({ features: { 16: unit } })).eventName).toBe('intel_pt//u');
    expect((await handMade({ attributes: [{ type: 1 }], features: { 16: unit } })).eventName).toBeNull();
  });

  test('have names of events, whatever their ids', async () => {
    const event = (type: number, name: string, ids: number[]) => [
      Buffer.concat([u32(type), Buffer.alloc(124)]),
      u32(ids.length),
      countedText(name),
      ...ids.map(u64),
    ];
    const events = [...event(1, 'dummy:u', [2, 2 ** 40]), ...event(8, 'intel_pt/a=1/', [1])];
    const features = { 12: Buffer.concat([u32(2), u32(128), ...events]) };
    expect((await handMade({ records: [auxtraceInfo()], features })).eventName).toBe('intel_pt/a=1/');
  });

  test('may have shorter build ids', async () => {
    const id = Buffer.from('00112233445566778899aabbccddeeff00000000', 'hex');
    const entry = (misc: number) => record(67, misc, u32(-1), id, Buffer.from([16, 0, 0, 0]), text('/bin/a'));
    const { buildIds } = await handMade({ features: { 2: Buffer.concat([entry(1 << 15), entry(1)]) } });
    expect(buildIds).toEqual([
      { file: '/bin/a', buildId: '00112233445566778899aabbccddeeff', isKernel: false },
      { file: '/bin/a', buildId: '00112233445566778899aabbccddeeff00000000', isKernel: true },
    ]);
  });

  test('list a build id once, however often and wherever it occurs', async () => {
    const id = Buffer.alloc(20, 0xab);
    const head = [u32(7), u32(7), u64(0x1000), u64(0x1000), u64(0), Buffer.from([20, 0, 0, 0]), id];
    const mapped = record(10, 1 << 14, ...head, u32(5), u32(2), text('/bin/a'), trailer({ ns: 1 }));
    const listed = record(67, 0, u32(-1), id, u32(0), text('/bin/a'));
    const { buildIds } = await handMade({ records: [mapped, mapped], features: { 2: listed } });
    expect(buildIds).toEqual([{ file: '/bin/a', buildId: 'ab'.repeat(20), isKernel: false }]);
  });

  test('have CPUs available and CPUs online', async () => {
    const { machine } = await handMade({ features: { 7: Buffer.concat([u32(8), u32(6)]) } });
    expect(machine).toMatchObject({ cpusAvailable: 8, cpusOnline: 6 });
  });

  test('use only the time of samples of other events', async () => {
    const sample = record(9, 0, u64(0), u64(0x1000), u32(7), u32(7), u64(5_000_000_001)); // identifier, ip, ids, time
    expect((await handMade({ records: [sample] })).bounds?.start).toEqual({ seconds: 5, ns: 1 });
  });

  test('take times from the header if no record has one', async () => {
    const { bounds } = await handMade({ features: { 21: Buffer.concat([u64(5), u64(1_000_000_002)]) } });
    expect(bounds).toEqual({ start: { seconds: 0, ns: 5 }, end: { seconds: 1, ns: 2 } });
  });

  test('take no times from a header by which the recording ends before it begins', async () => {
    const { bounds, damage } = await handMade({ features: { 21: Buffer.concat([u64(1_000_000_002), u64(5)]) } });
    expect(bounds).toBeNull();
    expect(damage).toEqual([expect.stringMatching(/^a part after the records is truncated or damaged: /)]);
  });

  test('are read without their trace', async () => {
    const bytes = perfData({ records: Array.from({ length: 4 }, () => auxtrace(4 * 2 ** 20)) });
    const file = fileOf(bytes);
    let readBytes = 0;
    const read = async (into: Uint8Array, at: number) => {
      const count = await file.read(into, at);
      readBytes += count;
      return count;
    };
    expect((await readRecording({ ...file, read })).buffers).toHaveLength(4);
    expect(readBytes).toBeLessThan(2 ** 20);
  });
});
