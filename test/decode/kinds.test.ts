/**
 * Decodes recordings of kinds that no fixture has, rewritten from fixtures, with both decoders.
 */
import { readFileSync } from 'node:fs';
import { assert, describe, expect } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { test } from '../helpers/cli/run-cli.js';
import { expectEqual } from '../helpers/kinds/expect-equal.js';
import { byThread } from '../helpers/kinds/per-thread.js';
import { asProcesses } from '../helpers/kinds/processes.js';
import { asSnapshots, snapshotsOf } from '../helpers/kinds/snapshots.js';
import { recordingPath } from '../helpers/perf/perf.js';
import { putTogether, type RawRecording, takeApart, withConfig } from '../helpers/perf/rewrite.js';
import { needs } from '../tools/needs.js';

needs('perf');

const NO_RETURN_COMPRESSION = 1n << 11n;
const UNIT_TYPE = 8;
const MMAP2 = 10;
const START_AT = 16;

describe.each([
  ['cpus-1', [true]],
  ['cpus-4', [true, false]],
  ['noise', [false]],
] as const)('%s, recorded by thread', (name, keeps) => {
  test.for<boolean>(keeps)('gives the profile that perf gives; records name the CPU: %s', async (keepsCpu, { dir }) => {
    const path = recordingPath(name);
    const { schedule } = decodePlan({ path, recording: await openRecording(path) });
    const tidAt = (cpu: number, tick: bigint) =>
      schedule.slotsOf({ cpu, tid: NONE }).findLast((slot) => slot.tick <= tick)?.tid ?? NONE;
    await expectEqual(dir, byThread(takeApart(readFileSync(path)), tidAt, keepsCpu));
  });
});

describe.each([
  [
    'cpus-4',
    [
      [700, 5000],
      [1500, 1500],
    ],
  ],
  [
    'lossy',
    [
      [1500, 2600],
      [3000, 2100],
    ],
  ],
] as const)('%s, recorded as snapshots', (name, sizes) => {
  const recording = takeApart(readFileSync(recordingPath(name)));

  test.for<readonly [number, number]>(sizes)(
    'gives the profile that perf gives: one every %i bytes, of %i bytes',
    async ([every, ring], { dir }) => {
      await expectEqual(dir, asSnapshots(recording, snapshotsOf(recording, every, ring)));
    },
  );

  test('leaves out what is repeated', async ({ dir }) => {
    const snapshots = snapshotsOf(recording, 700, 5000);
    const path = await dir.write('kind.data', putTogether(asSnapshots(recording, snapshots)));
    for (const { cpu, streams, sizeBytes } of decodePlan({ path, recording: await openRecording(path) }).cpus) {
      expect(streams).toHaveLength(1);
      expect(sizeBytes).toBe(Math.max(...snapshots.filter((each) => each.cpu === cpu).map(({ end }) => end)));
    }
  });
});

describe('threads as processes of their own', () => {
  const isProcess = (tid: number) => tid !== 5000;

  test.for([
    ['cpus-1', false],
    ['cpus-4', true],
    ['switch-own', true],
  ] as const)(
    'gives the profile that perf gives: %s, which run programs: %s',
    async ([name, runsPrograms], { dir }) => {
      const recording = takeApart(readFileSync(recordingPath(name)));
      const runsProgram = (tid: number) => runsPrograms && tid % 2 === 1;
      await expectEqual(dir, asProcesses(recording, { isProcess, runsProgram }));
    },
  );
});

/** The page of the decoder that holds the covered code has other code, too. */
test.for([
  ['mtc-only', 0n],
  ['cpus-2', 0n],
  ['cpus-2', -4032n],
  ['lossy', -4032n],
] as const)(
  'a file mapped over a part of another one gives the profile that perf gives: %s, %i bytes later',
  async ([name, bytesLater], { dir }) => {
    const recording = takeApart(readFileSync(recordingPath(name)));
    const mappingOf = ({ records }: RawRecording) => records.find(({ type }) => type === MMAP2);
    const over = mappingOf(takeApart(readFileSync(recordingPath('loop'))));
    const under = mappingOf(recording);
    assert(over && under);
    const bytes = Buffer.from(over.bytes);
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(START_AT) + bytesLater, START_AT);
    const row = recording.records.indexOf(under) + 1;
    await expectEqual(dir, { ...recording, records: recording.records.toSpliced(row, 0, { ...over, bytes }) });
  },
);

test('returns that the settings say are not compressed take no bits, as for perf', async ({ dir }) => {
  const recording = takeApart(readFileSync(recordingPath('cpus-2')));
  await expectEqual(
    dir,
    withConfig(recording, UNIT_TYPE, (config) => config | NO_RETURN_COMPRESSION),
  );
});
