/**
 * Decodes a sample of a recording, to say how many branches it has and how long decoding takes.
 */

import type { Recording } from '../../src/perfdata/recording.js';
import { decodeSample, type TracedTime, tracedTime } from '../../src/pipeline/decode/decode-sample.js';
import { findBinaries } from '../../src/pipeline/decode/encoded-recording.js';
import { onlyPerfDecodes } from '../input/choose-decoder.js';
import { encodedRecording, rootsOf } from '../input/encoded-recording.js';
import type { RecordingInfo } from './recording-info.js';

/** Where a recording and its binaries are. */
export interface RecordingPaths {
  readonly path: string;
  readonly symfs: string | null;
}

export interface SampledDecoding {
  readonly decoding: RecordingInfo['decoding'];
  readonly traced: TracedTime | null;
}

/** Returns nulls for a recording that ptflame cannot decode. */
export function sampleDecoding(recording: Recording, { path, symfs }: RecordingPaths): SampledDecoding {
  const found = findBinaries(recording, rootsOf(symfs));
  if (recording.damage.length > 0 || onlyPerfDecodes({ recording, found }) !== null)
    return { decoding: null, traced: null };
  const options = { name: path, path, symfs, recorded: null, broken: null };
  const all = decodeSample(encodedRecording(recording, { ...options, jumps: 'all' }));
  const beganMs = performance.now();
  const calls = decodeSample(encodedRecording(recording, { ...options, jumps: 'none' }));
  const seconds = (performance.now() - beganMs) / 1000;
  const { pieces, bytes, ofBytes, errors, generatedErrors } = all;
  if (bytes === 0 || calls.bytes === 0) return { decoding: null, traced: null };
  const traced = tracedTime(encodedRecording(recording, { ...options, jumps: 'leaving' })); // as other commands decode it
  const decoding = {
    branches: all.branches,
    callsAndReturns: calls.branches,
    uncertainty: Math.max(all.uncertainty, calls.uncertainty),
    seconds: (seconds * ofBytes) / calls.bytes,
    sample: { pieces, bytes, ofBytes, errors, generatedErrors },
  };
  return { decoding, traced };
}
