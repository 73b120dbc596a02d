/**
 * Decodes recordings to profiles, with perf or a replacement.
 */
import { chmod } from 'node:fs/promises';
import { type DecodeOptions, decodeRecording } from '../../../cli/perf/script.js';
import { type AnalyzeOptions, analyze, type Profile, renderFolded } from '../../../src/index.js';
import { openRecording } from '../../../src/perfdata/open-recording.js';
import type { Directory } from '../cli/run-cli.js';
import { RECORDED_ROOT } from './perf.js';

export const DECODING: DecodeOptions = {
  perf: 'perf',
  precise: false,
  debuginfod: false,
  symfs: RECORDED_ROOT,
  kallsyms: null,
  jobs: 1,
  plan: { leastBytes: 1000 }, // so that small recordings are divided
};
export const ALONE = { jobs: 1 };

export async function decoded(
  path: string,
  options: Partial<DecodeOptions> = {},
  analysis: AnalyzeOptions = {},
): Promise<Profile> {
  const recording = await openRecording(path);
  return analyze([decodeRecording(path, recording, { ...DECODING, ...options })], { ...ALONE, ...analysis });
}

/** Returns the folded stacks of the profile, merged and by thread, with all counts. */
export function treesOf(profile: Profile): string {
  const all = [...renderFolded(profile, { annotate: true })];
  return [...all, ...renderFolded(profile, { annotate: true, by: 'thread' })].join('');
}

/** Writes a shell script that replaces perf. */
export async function fakePerf(dir: Directory, name: string, script: string): Promise<string> {
  const path = await dir.write(name, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}
