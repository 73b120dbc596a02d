/**
 * Recognizes what the own decoder does not know, from settings and from the first packets.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { unknownKinds } from '../../src/decode/unknown-packets.js';
import { openRecording, type Recording, readRecording, unsupported, unsupportedPackets } from '../../src/recordings.js';
import { test } from '../helpers/cli/run-cli.js';
import { RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { auxtraceInfo, fileOf, perfData, SAMPLE_TYPE, TRACE_NUMBERS } from '../helpers/perf/perf-data.js';
import { flipped, putTogether, takeApart } from '../helpers/perf/rewrite.js';

const known = await openRecording(recordingPath('cpus-1'));
const { trace, encoding } = known;
const PSB_HEX = '0282'.repeat(8);
const PSB = Buffer.from(PSB_HEX, 'hex');
const MODE_EXEC = Buffer.from('9901', 'hex');
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

  const UNKNOWN = [
    ['99 02', '32-bit code'],
    ['99 00', '32-bit code'],
    ['99 21', 'transactions (TSX)'],
    ['02 63 00 0c 01 02 03 04 05 06 07 08 02 33', 'PEBS or event packets'],
    ['02 63 80 0c 01 02 03 04 02 b3', 'PEBS or event packets'],
    ['02 13 00 00', 'PEBS or event packets'],
    ['02 43 01 02 03 04 05 06', 'a guest of a virtual machine'],
  ] as const;
  const DAMAGED = ['02 ff', '99 40', 'c9', 'ad 00', '02 82'];
  const kindsIn = (hex: string) => [...unknownKinds(bytesOf(hex))];

  test.each(UNKNOWN)('%s is only known to perf: %s', (hex, kind) => {
    for (const [before] of [[''], ...KNOWN]) {
      expect(kindsIn(`c9${PSB_HEX}${before}${hex}`), before).toEqual([kind]);
      expect(kindsIn(`${before}${hex}`), 'without a PSB').toEqual([]);
      expect(kindsIn(`${PSB_HEX}${hex}${PSB_HEX}${before}${PSB_HEX}${hex}${hex}`), 'of each stretch').toEqual([
        kind,
        kind,
      ]);
    }
  });

  test.each(DAMAGED)('a stretch with %s is damaged and says nothing', (hex) => {
    for (const [unknown, kind] of UNKNOWN) {
      expect(kindsIn(`${PSB_HEX}${unknown}${hex}${PSB_HEX}${unknown}`)).toEqual([kind]);
      expect(kindsIn(`${PSB_HEX}${hex}${unknown}${PSB_HEX}`)).toEqual([]);
    }
  });

  test.each(KNOWN)('%s is known: %s', (hex) => {
    const bytes = bytesOf(`${PSB_HEX}${hex}`);
    for (let length = 0; length <= bytes.length; length++)
      expect([...unknownKinds(bytes.subarray(0, length))]).toEqual([]);
  });
});

test('one packet of another kind is a flipped bit; two are not', async ({ dir }) => {
  const taken = takeApart(readFileSync(recordingPath('cpus-4')));
  const begins = taken.records.flatMap(({ trace }, row) => (trace.indexOf(PSB) === 0 ? [row] : []));
  const with32BitCode = async (rows: readonly number[]) => {
    const path = dir.file(`${rows.length}.data`);
    const records = taken.records.map((raw, row) =>
      rows.includes(row) ? { ...raw, trace: flipped(raw.trace, 8 * (raw.trace.indexOf(MODE_EXEC) + 1)) } : raw,
    );
    writeFileSync(path, putTogether({ ...taken, records }));
    return unsupportedPackets(await openRecording(path), path);
  };
  expect(await with32BitCode(begins.slice(0, 1))).toBeNull();
  expect(await with32BitCode(begins.slice(0, 2))).toEqual({ what: '32-bit code', hasRest: true });
});
