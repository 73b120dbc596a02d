/**
 * Decodes recordings of kinds that no fixture has, rewritten from fixtures, with both decoders, and compares whole profiles byte
 * for byte.
 */
import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { openRecording, unsupported } from '../../src/recordings.js';
import { type Directory, test } from '../helpers/cli/run-cli.js';
import { profileOfOwn, profileOfPerf } from '../helpers/perf/both-decoders.js';
import { instructionsOf } from '../helpers/perf/instructions.js';
import { byThread } from '../helpers/perf/per-thread.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { PT_TYPE } from '../helpers/perf/perf-data.js';
import {
  type CrystalClock,
  type Instruction,
  type OtherPacket,
  type Region,
  reencoded,
  withClock,
} from '../helpers/perf/reencode.js';
import {
  buffersOf,
  putTogether,
  type RawRecording,
  takeApart,
  traceOfCpu,
  withFilter,
} from '../helpers/perf/rewrite.js';
import { asSnapshots, type Snapshot } from '../helpers/perf/snapshots.js';
import { splitPackets } from '../helpers/perf/split-packets.js';
import { needs } from '../tools/needs.js';

needs('perf');

/** Of the program in the fixtures: it is not relocated. */
const IMAGE_START = 0x400000;

async function expectEqual(dir: Directory, recording: RawRecording): Promise<void> {
  const path = await dir.write('kind.data', putTogether(recording));
  expect(unsupported(await openRecording(path))).toBeNull();
  for (const [symfs, allBranches] of [
    [RECORDED_ROOT, false],
    [RECORDED_ROOT, true],
    [null, false], // without the binaries
  ] as const)
    expect(await profileOfOwn(path, symfs, allBranches)).toBe(await profileOfPerf(path, symfs, allBranches));
}

describe.each(['cpus-1', 'cpus-4', 'noise'])('%s, recorded by thread', (name) => {
  test.for([true, false])('gives the profile that perf gives; records name the CPU: %s', async (keepsCpu, { dir }) => {
    const path = recordingPath(name);
    const { schedule } = decodePlan({ path, recording: await openRecording(path) });
    const tidAt = (cpu: number, tick: bigint) =>
      schedule.slotsOf({ cpu, tid: NONE }).findLast((slot) => slot.tick <= tick)?.tid ?? NONE;
    await expectEqual(dir, byThread(takeApart(readFileSync(path)), tidAt, keepsCpu));
  });
});

/** Snapshots of rings of some bytes, taken each time that so much trace was written; they end with a packet. */
function snapshotsOf(recording: RawRecording, everyBytes: number, ringBytes: number): Snapshot[] {
  const cpus = [...new Set(buffersOf(recording).map(({ cpu }) => cpu))];
  return cpus.flatMap((cpu) => {
    const snapshots: Snapshot[] = [];
    let at = 0;
    let end = 0;
    for (const { bytes } of splitPackets(traceOfCpu(recording, cpu))) {
      at += bytes.length;
      if (at - end < everyBytes) continue;
      end = at;
      snapshots.push({ cpu, start: Math.max(0, end - ringBytes), end });
    }
    return snapshots;
  });
}

describe.each(['cpus-4', 'lossy'])('%s, recorded as snapshots', (name) => {
  const recording = takeApart(readFileSync(recordingPath(name)));

  test.for([
    [700, 5000],
    [1500, 2600],
    [1500, 1500],
    [3000, 2100],
  ])('gives the profile that perf gives: one every %i bytes, of %i bytes', async ([every, ring], { dir }) => {
    await expectEqual(dir, asSnapshots(recording, snapshotsOf(recording, every as number, ring as number)));
  });

  test('leaves out what is repeated', async ({ dir }) => {
    const snapshots = snapshotsOf(recording, 700, 5000);
    const path = await dir.write('kind.data', putTogether(asSnapshots(recording, snapshots)));
    for (const { cpu, streams, sizeBytes } of decodePlan({ path, recording: await openRecording(path) }).cpus) {
      expect(streams).toHaveLength(1);
      expect(sizeBytes).toBe(Math.max(...snapshots.filter((each) => each.cpu === cpu).map(({ end }) => end)));
    }
  });
});

const ALL = { filter: [], stop: [], losesTargets: false, compressesReturns: true, psbBytes: 2000, clock: null };

async function encodedAnew() {
  const path = recordingPath('cpus-2');
  return { path, instructions: await instructionsOf(path, RECORDED_ROOT, 8_000) };
}

describe('filters of addresses', async () => {
  const { path, instructions } = await encodedAnew();
  const all = [...instructions.values()].flat();
  /** Some code that ran; the binary is mapped at its start, so offsets in the file are these addresses less that. */
  const regionAt = (share: number, bytes: number): Region => {
    const { ip } = all[Math.floor(share * all.length)] as Instruction;
    return { start: ip, end: ip + bytes };
  };
  const textOf =
    (what: string) =>
    ({ start, end }: Region) =>
      `${what} 0x${(start - IMAGE_START).toString(16)}/${end - start}@/opt/ptflame/threads`;

  test.for([
    { filter: [regionAt(0.62, 200)], stop: [], losesTargets: false, compressesReturns: true, psbBytes: 500 },
    { filter: [regionAt(0.3, 3000)], stop: [], losesTargets: false, compressesReturns: false, psbBytes: 2000 },
    {
      filter: [regionAt(0.5, 700), regionAt(0.7, 60)],
      stop: [],
      losesTargets: true,
      compressesReturns: true,
      psbBytes: 300,
    },
    { filter: [], stop: [regionAt(0.5, 10)], losesTargets: false, compressesReturns: true, psbBytes: 2000 },
    {
      filter: [regionAt(0.2, 9000)],
      stop: [regionAt(0.8, 40)],
      losesTargets: true,
      compressesReturns: false,
      psbBytes: 900,
    },
  ])('gives the profile that perf gives: %o', async (options, { dir }) => {
    const filter = [...options.filter.map(textOf('filter')), ...options.stop.map(textOf('stop'))].join(',');
    await expectEqual(
      dir,
      withFilter(reencoded(takeApart(readFileSync(path)), instructions, { ...ALL, ...options }), filter),
    );
  });
});

describe('clocks', async () => {
  const { path, instructions } = await encodedAnew();

  test.for([
    [3, 7, 3],
    [8, 5, 4],
    [9, 3, 1],
    [10, 1, 1],
    [12, 7, 3],
    [15, 2, 1],
  ])(
    'gives the profile that perf gives: MTC every 2^%i ticks of %i/%i',
    async ([period, numerator, denominator], { dir }) => {
      const clock = { period, numerator, denominator } as CrystalClock;
      const recording = reencoded(takeApart(readFileSync(path)), instructions, { ...ALL, clock });
      await expectEqual(dir, withClock(recording, PT_TYPE, clock));
    },
  );
});

describe('other packets', async () => {
  const { path, instructions } = await encodedAnew();
  const payload = [1, 2, 3, 4, 5, 6, 7, 8];
  const inside: OtherPacket[] = [
    { bytes: [0x02, 0x12, ...payload.slice(4)], hasIp: false }, // PTWRITE
    { bytes: [0x02, 0xb2, ...payload], hasIp: true },
    { bytes: [0x02, 0x62], hasIp: false }, // EXSTOP
    { bytes: [0x02, 0xe2], hasIp: true },
  ];
  const outside: OtherPacket[] = [
    { bytes: [0x02, 0xc2, 1, 0, 0, 0, 1, 0, 0, 0], hasIp: false }, // MWAIT
    { bytes: [0x02, 0x22, 0, 0x10], hasIp: false }, // PWRE
    { bytes: [0x02, 0xa2, 0x11, 1, 0, 0, 0], hasIp: false }, // PWRX
  ];

  test.for([7, 50, 400])(
    'gives the profile that perf gives: PTWRITE and power, every %i instructions',
    async (every, { dir }) => {
      const packetsAt = (row: number, isTracing: boolean) => {
        const kinds = isTracing ? inside : outside;
        return row % every === 0 ? (kinds[(row / every) % kinds.length] ?? null) : null;
      };
      await expectEqual(dir, reencoded(takeApart(readFileSync(path)), instructions, { ...ALL, packetsAt }));
    },
  );
});
