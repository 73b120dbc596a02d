/**
 * Decodes instructions of a fixture whose trace is encoded anew, with filters, clocks and packets that no fixture has, with both
 * decoders.
 */
import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { test } from '../helpers/cli/run-cli.js';
import type { CrystalClock, Instruction, OtherPacket, Region } from '../helpers/kinds/encoder.js';
import { expectEqual } from '../helpers/kinds/expect-equal.js';
import { instructionsOf } from '../helpers/kinds/instructions.js';
import { reencoded, withClock } from '../helpers/kinds/reencode.js';
import { asSnapshots, snapshotsOf } from '../helpers/kinds/snapshots.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { PT_TYPE } from '../helpers/perf/perf-data.js';
import { takeApart, withFilter } from '../helpers/perf/rewrite.js';
import { needs } from '../tools/needs.js';

needs('perf');

/** Of the program in the fixtures: it is not relocated. */
const IMAGE_START = 0x400000;
const ALL = { filter: [], stop: [], losesTargets: false, compressesReturns: true, psbBytes: 2000, clock: null };

const path = recordingPath('cpus-2');
const instructions = await instructionsOf(path, RECORDED_ROOT, 8_000);

describe('filters of addresses', () => {
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

describe('clocks', () => {
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

describe('other packets', () => {
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

describe('snapshots without MTC packets', () => {
  const recording = reencoded(takeApart(readFileSync(path)), instructions, { ...ALL, psbBytes: 100 });

  test.for([
    [900, 700], // trace is missing between them
    [500, 300],
    [300, 900],
  ])('gives the profile that perf gives: one every %i bytes, of %i bytes', async ([every, ring], { dir }) => {
    await expectEqual(dir, asSnapshots(recording, snapshotsOf(recording, every as number, ring as number)));
  });
});
