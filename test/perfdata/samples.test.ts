/**
 * Samples of tracepoints and probes: each equals what `perf script` prints of it.
 */
import { describe, expect, test } from 'vitest';
import { numbersOf, SampleContext, tableOf, textsOf } from '../../src/model/sample-table.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import { fileOf } from '../helpers/perf/perf-data.js';
import { perfLines, printedSamples } from '../helpers/perf/print-samples.js';
import { fixture } from '../helpers/traces/load.js';

const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));
/** perf 6.1 prints zeros for arrays of probes. */
const withoutLists = (line: string) => line.replaceAll(/list=\{[^}]*\}/g, 'list={}');

describe('samples of a recording', () => {
  test.each([
    ['waitlab.proc', 1675],
    ['waitlab.wake', 269],
    ['waits', 737],
    ['values', 194],
  ])('%s equals what perf prints', async (name, count) => {
    const recording = await recordingOf(name);
    const expected = perfLines(fixture(`waits/${name}.txt.gz`).toString());
    expect(expected).toHaveLength(count);
    expect(printedSamples(recording).map(withoutLists)).toEqual(expected.map(withoutLists));
    expect(recording.samples).toMatchObject({ unreadable: 0, damaged: 0 });
    expect(recording.damage).toEqual([]);
  });

  test('reads integers of all sizes, texts and arrays', async () => {
    const { tables } = (await recordingOf('values')).samples;
    const ints = tableOf(tables, 'probe_p:ints');
    const texts = tableOf(tables, 'probe_p:texts');
    if (ints === null || texts === null) throw new Error('no such events');
    const numbers = (name: string) => [...(numbersOf(ints, name) ?? [])].slice(0, 4);
    expect(numbers('a')).toEqual([-1, 1, -128, 127]);
    expect(numbers('b')).toEqual([255, 2, 128, 127]);
    expect(numbers('c')).toEqual([-2, 3, -32768, 32767]);
    expect(numbers('e')).toEqual([-3, 5, -(2 ** 31), 2 ** 31 - 1]);
    expect(numbers('f')).toEqual([2 ** 32 - 1, 6, 2 ** 31, 2 ** 31 - 1]);
    const long = (name: string) => textsOf(ints, name)?.slice(0, 4);
    expect(long('g')).toEqual(['-4', '7', '-9223372036854775808', '9007199254740993']);
    expect(long('h')).toEqual(['18446744073709551615', '8', '9223372036854775808', '9007199254740993']);
    expect(textsOf(texts, 'text')?.slice(0, 3)).toEqual(['hello', '', 'grüß "q" =x, y']);
    expect(textsOf(texts, 'list')?.slice(0, 3)).toEqual(['{1,2,3,4}', '{0,0,0,0}', '{4294967295,1,0,9}']);
    expect(textsOf(texts, 'hexlist')?.[2]).toBe('{0xffffffff,0x1}');
  });

  test('tells samples in interrupts from those of the thread', async () => {
    const { tables } = (await recordingOf('waitlab.wake')).samples;
    const contexts = [...(tableOf(tables, 'sched:sched_waking')?.context ?? [])];
    const count = (wanted: number) => contexts.filter((context) => context === wanted).length;
    expect([count(SampleContext.Task), count(SampleContext.SoftInterrupt), count(SampleContext.HardInterrupt)]).toEqual(
      [231, 0, 38],
    );
  });

  test('are sorted by time', async () => {
    for (const { timeNs } of (await recordingOf('waitlab.proc')).samples.tables)
      expect([...timeNs]).toEqual([...timeNs].sort((a, b) => a - b));
  });
});
