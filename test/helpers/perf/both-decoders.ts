/**
 * Profiles of a recording by the own decoder and by perf, as JSON, to be compared byte for byte.
 */
import { encodedRecording } from '../../../cli/input/encoded-recording.js';
import { analyze, renderJson } from '../../../src/index.js';
import { openRecording, recordingEnvironment } from '../../../src/perfdata/open-recording.js';
import type { EncodedRecording } from '../../../src/pipeline/decode/encoded-recording.js';
import { ALONE, decoded } from './decoding.js';

export async function encodedOf(
  path: string,
  symfs: string | null,
  allBranches: boolean | 'leaving',
): Promise<EncodedRecording> {
  const recording = await openRecording(path);
  const recorded = recordingEnvironment(recording, path);
  const jumps = allBranches === 'leaving' ? allBranches : allBranches ? 'all' : 'none';
  return encodedRecording(recording, { name: path, path, symfs, jumps, recorded, broken: null });
}

export async function profileOfOwn(path: string, symfs: string | null, allBranches: boolean): Promise<string> {
  const encoded = await encodedOf(path, symfs, allBranches);
  return [...renderJson(await analyze([encoded], { ...ALONE, durations: true }))].join('');
}

export async function profileOfPerf(path: string, symfs: string | null, precise: boolean): Promise<string> {
  return [...renderJson(await decoded(path, { symfs, precise, name: path }, { durations: true }))].join('');
}
