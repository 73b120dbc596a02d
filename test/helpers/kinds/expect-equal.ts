/**
 * Decodes a recording with both decoders and compares whole profiles byte for byte.
 */
import { expect } from 'vitest';
import { openRecording } from '../../../src/perfdata/open-recording.js';
import { unsupported } from '../../../src/pipeline/decode/encoded-recording.js';
import type { Directory } from '../cli/run-cli.js';
import { profileOfOwn, profileOfPerf } from '../perf/both-decoders.js';
import { RECORDED_ROOT } from '../perf/perf.js';
import { putTogether, type RawRecording } from '../perf/rewrite.js';

export async function expectEqual(dir: Directory, recording: RawRecording): Promise<void> {
  const path = await dir.write('kind.data', putTogether(recording));
  expect(unsupported(await openRecording(path))).toBeNull();
  for (const [symfs, allBranches] of [
    [RECORDED_ROOT, false],
    [RECORDED_ROOT, true],
    [null, false], // without the binaries
  ] as const)
    expect(known(await profileOfOwn(path, symfs, allBranches))).toBe(
      known(await profileOfPerf(path, symfs, allBranches)),
    );
}

/** Text tells that jumps are shown only if it has one. */
function known(profile: string): string {
  return profile.replace('"showsJumps":true,', '');
}
