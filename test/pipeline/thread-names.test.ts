/**
 * Names from before the recording are older than all others, in whatever order they are read.
 */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { analyze, type Profile, traceStream } from '../../src/index.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { DecodedRecording } from '../../src/pipeline/read/recording-source.js';
import { fileOf, perfData, record, text, trailer, u32 } from '../helpers/perf/perf-data.js';

const BRANCHES = [
  '7 [000] 3.000000000:   call                  401010 main+0x10 =>      402000 work+0x0',
  '7 [000] 3.000000100:   return                402010 work+0x10 =>      401015 main+0x15',
].join('\n');
/** As perf prints them before any branch: the name until exec, and the name of the program. */
const NAMES = [
  '0 [000] 0.000000000: PERF_RECORD_COMM: perf-exec:7/7',
  '7 [000] 2.500000000: PERF_RECORD_COMM exec: program:7/7',
];

const stream = (lines: string) => traceStream('text', Readable.from([Buffer.from(`${lines}\n`)]));
const nameIn = ({ threads }: Profile) => threads.map(({ comm }) => comm);

test.each([
  ['in their order', [...NAMES, BRANCHES]],
  ['the older one last', [NAMES[1], BRANCHES, NAMES[0]]],
])('keeps the latest name, in text: %s', async (_, lines) => {
  expect(nameIn(await analyze([stream(lines.join('\n'))], { jobs: 1 }))).toEqual(['program']);
});

test('keeps the latest name, in a recording', async () => {
  const before = record(3, 0, u32(7), u32(7), text('perf-exec'), trailer({ ns: 0 }));
  const program = record(3, 0x2000, u32(7), u32(7), text('program'), trailer({ ns: 2_500_000_000 }));
  const { sideband } = await readRecording(fileOf(perfData({ records: [before, program] })));
  const job = { cpus: null, from: null, to: null, auxBytes: 0 };
  const part = { ...stream(BRANCHES), job };
  const recording: DecodedRecording = {
    name: 'x',
    parts: [part],
    maxConcurrent: 1,
    sideband,
    recorded: null,
    broken: null,
  };
  expect(nameIn(await analyze([recording], { jobs: 1 }))).toEqual(['program']);
});
