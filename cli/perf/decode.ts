/**
 * A recording as an input: read, and decoded when somebody reads on.
 */
import { availableParallelism } from 'node:os';
import { type DecodedRecording, openRecording, PtflameError } from '../../src/index.js';
import { visibleText } from '../../src/text.js';
import type { DecodingOptions } from '../options.js';
import { decodeRecording } from './script.js';

/** @throws PtflameError for a file that perf could not decode either, with what is wrong */
export async function decodeInput(
  path: string,
  options: DecodingOptions,
  signal: AbortSignal,
): Promise<DecodedRecording> {
  const recording = await openRecording(path, { signal });
  if (recording.damage.length > 0) throw damaged(path, recording.damage);
  if (recording.trace === null) throw noTrace(path);
  const { perf, precise, symfs = null, kallsyms = null, jobs = availableParallelism() } = options;
  return decodeRecording(path, recording, { perf, precise, symfs, kallsyms, jobs });
}

function noTrace(path: string): PtflameError {
  return new PtflameError('NO_BRANCHES', `${path} is a recording without a trace of Intel PT`, {
    hint: 'record with ptflame record, or perf record -e intel_pt//u; ptflame info FILE tells what it holds',
  });
}

/** perf decodes nothing of such a file, or is killed by it. */
function damaged(path: string, damage: readonly string[]): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `${path} is damaged: ${damage[0]}`, {
    hint: 'copy it again from where it was recorded, or record it again; ptflame info FILE tells what is left',
    said: damage.slice(1).map(visibleText),
  });
}
