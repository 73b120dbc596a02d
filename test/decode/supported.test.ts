/**
 * Recognizes what the own decoder does not know, from settings and from the first packets.
 */
import { describe, expect, test } from 'vitest';
import { unknownPackets } from '../../src/decode/unknown-packets.js';
import { openRecording, type Recording, readRecording, unsupported, unsupportedPackets } from '../../src/recordings.js';
import { RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { auxtraceInfo, fileOf, perfData, SAMPLE_TYPE, TRACE_NUMBERS } from '../helpers/perf/perf-data.js';

const known = await openRecording(recordingPath('cpus-1'));
const { trace, encoding } = known;
if (trace === null || encoding === null) throw new Error('the recording has a trace');

test.each(RECORDINGS)('decodes %s itself', async (name) => {
  const recording = await openRecording(recordingPath(name));
  expect(unsupported(recording)).toBeNull();
  expect(unsupportedPackets(recording, recordingPath(name))).toBeNull();
});

test.each<[string, boolean, Partial<Recording>]>([
  ['code of another architecture', false, { machine: { ...known.machine, architecture: 'i686' } }],
  ['a trace without times', false, { trace: { ...trace, hasTime: false } }],
  ['a trace without times', false, { encoding: { ...encoding, timing: null } }],
  ['a trace without branches', false, { encoding: { ...encoding, config: 0x400n } }],
  ['context switches by a tracepoint', false, { trace: { ...trace, switches: 'tracepoint' } }],
  ['kernel tracing', true, { trace: { ...trace, hasKernel: true } }],
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

describe('of packets', () => {
  const PSB = '0282'.repeat(8);
  const KNOWN = [
    ['99 01', 'MODE.Exec of 64-bit code'],
    ['99 20', 'MODE.TSX outside of transactions'],
    ['19 01 02 03 04 05 06 07', 'TSC'],
    ['02 73 01 02 03 04 05', 'TMA'],
    ['02 03 1e 00', 'CBR'],
    ['02 23', 'PSBEND'],
    ['59 10', 'MTC'],
    ['07 03 01 01 01 01 01 02', 'CYC'],
    ['06 1c 00', 'TNT'],
    ['02 a3 01 02 03 04 05 06', 'long TNT'],
    ['7d 01 02 03 04 05 06', 'FUP'],
    ['2d 01 02 4d 01 02 03 04 cd 01 02 03 04 05 06 07 08 0d', 'TIP'],
    ['31 01 02 21 01 02', 'TIP.PGE and TIP.PGD'],
    ['02 43 00 02 03 04 05 06', 'PIP'],
    ['02 f3 02 83', 'OVF and TraceStop'],
    ['02 12 01 02 03 04 02 b2 01 02 03 04 05 06 07 08', 'PTWRITE'],
    ['02 62 02 e2 02 c2 01 02 03 04 05 06 07 08', 'EXSTOP and MWAIT'],
    ['02 22 01 02 02 a2 01 02 03 04 05', 'PWRE and PWRX'],
  ] as const;
  const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

  test.each([
    ['99 02', '32-bit code'],
    ['99 00', '32-bit code'],
    ['99 21', 'transactions (TSX)'],
    ['02 63 00', 'PEBS or event packets'],
    ['02 13 00 00', 'PEBS or event packets'],
    ['02 43 01 02 03 04 05 06', 'a guest of a virtual machine'],
    ['02 ff', 'unknown packets'],
    ['99 40', 'unknown packets'],
    ['c9', 'unknown packets'],
    ['ad 00', 'unknown packets'],
  ])('%s is left to perf: %s', (hex, what) => {
    for (const [before] of [[''], ...KNOWN]) {
      expect(unknownPackets(bytesOf(`c9${PSB}${before}${hex}`)), before).toBe(what);
      expect(unknownPackets(bytesOf(`${before}${hex}`)), 'without a PSB').toBeNull();
    }
  });

  test.each(KNOWN)('%s is known: %s', (hex) => {
    const bytes = bytesOf(`${PSB}${hex}`);
    for (let length = 0; length <= bytes.length; length++) expect(unknownPackets(bytes.subarray(0, length))).toBeNull();
  });
});
