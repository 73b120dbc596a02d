/**
 * Recognizes what the own decoder does not know, from settings.
 */
import { expect, test } from 'vitest';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { lacksKernel, unsupported } from '../../src/pipeline/decode/encoded-recording.js';
import { RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { auxtraceInfo, fileOf, perfData, SAMPLE_TYPE, TRACE_NUMBERS } from '../helpers/perf/perf-data.js';

const known = await openRecording(recordingPath('cpus-1'));
const { trace, encoding } = known;
if (trace === null || encoding === null) throw new Error('the recording has a trace');

test.each(RECORDINGS)('decodes %s itself', async (name) => {
  const recording = await openRecording(recordingPath(name));
  expect(unsupported(recording)).toBeNull();
});

test.each<[string, boolean, Partial<Recording>]>([
  ['code of another architecture', false, { machine: { ...known.machine, architecture: 'i686' } }],
  ['a trace without times', false, { trace: { ...trace, hasTime: false } }],
  ['a trace without times', false, { encoding: { ...encoding, timing: null } }],
  ['a trace without branches', false, { encoding: { ...encoding, config: 0x400n } }],
  ['context switches by a tracepoint', false, { trace: { ...trace, switches: 'tracepoint' } }],
  ['PEBS packets', true, { encoding: { ...encoding, hasPebs: true } }],
  ['event packets', true, { encoding: { ...encoding, config: encoding.config | (1n << 31n) } }],
])('leaves %s to perf (the rest can be shown: %s)', (what, hasRest, change) => {
  expect(unsupported({ ...known, ...change })).toMatchObject({ what, hasRest });
});

test('leaves trace in samples to perf', async () => {
  const attributes = [{ config: 0x2402 }, { type: 1, sampleType: SAMPLE_TYPE | (1 << 20) }];
  const numbers = TRACE_NUMBERS.map((number, row) => (row === 9 ? 1 : number));
  const read = (attributes: Parameters<typeof perfData>[0]['attributes']) =>
    readRecording(fileOf(perfData({ records: [auxtraceInfo(numbers)], ...(attributes && { attributes }) })));
  expect(unsupported(await read(attributes))?.what).toBe('trace in samples');
  expect(unsupported(await read(attributes.slice(0, 1)))).toBeNull();
});

test('leaves a traced kernel without a copy of its code to perf', () => {
  const traced = { ...known, trace: { ...trace, hasKernel: true } };
  expect(lacksKernel(traced, null)).toEqual({ what: 'kernel tracing without a copy of the kernel', hasRest: true });
  expect(lacksKernel(traced, { code: 'kcore', symbols: 'kallsyms' })).toBeNull();
  expect(lacksKernel(known, null)).toBeNull();
});
