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
import { byThread } from '../helpers/perf/per-thread.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { putTogether, type RawRecording, takeApart } from '../helpers/perf/rewrite.js';
import { needs } from '../tools/needs.js';

needs('perf');

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
    const { schedule } = decodePlan(await openRecording(path));
    const tidAt = (cpu: number, tick: bigint) =>
      schedule.slotsOf({ cpu, tid: NONE }).findLast((slot) => slot.tick <= tick)?.tid ?? NONE;
    await expectEqual(dir, byThread(takeApart(readFileSync(path)), tidAt, keepsCpu));
  });
});
