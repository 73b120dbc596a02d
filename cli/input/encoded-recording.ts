/**
 * Prepares a recording for the own decoder: finds its binaries.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type EncodedRecording,
  locator,
  type PltNames,
  type Recording,
  type RecordingEnvironment,
} from '../../src/recordings.js';
import { type FetchedBinaries, NOTHING_FETCHED } from './fetch-binaries.js';

interface OwnOptions {
  readonly name: string;
  /** The recording's file. */
  readonly path: string;
  /** Directory with the recorded binaries; null: the root directory. */
  readonly symfs: string | null;
  readonly fetched?: FetchedBinaries;
  /** Default: as the perf that recorded names them. */
  readonly pltNames?: PltNames | undefined;
  readonly allBranches: boolean;
  readonly recorded: RecordingEnvironment | null;
  readonly broken: string | null;
}

/** perf's copies of binaries. */
export const BUILD_ID_CACHE = join(homedir(), '.debug');

/** The recording must be one that the decoder supports. */
export function encodedRecording(recording: Recording, options: OwnOptions): EncodedRecording {
  const { symfs, fetched = NOTHING_FETCHED, pltNames = pltNamesOf(recording), ...rest } = options;
  const buildIds = buildIdsOf(recording);
  const locate = locator({ symfs, cache: BUILD_ID_CACHE, debuginfod: fetched.directory, pltNames, buildIds });
  return { ...rest, recording, binaries: binariesOf(recording, symfs ?? '/', fetched.executables), locate };
}

/** Depends on the recording alone: which perf is installed here makes no difference. */
function pltNamesOf({ machine }: Recording): PltNames {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(machine.perfVersion ?? '') ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 3) ? 'all' : 'perf-6.1';
}

function buildIdsOf({ buildIds }: Recording): Map<string, string> {
  return new Map(buildIds.map(({ file, buildId }) => [Buffer.from(file).toString('latin1'), buildId]));
}

function binariesOf(
  { sideband }: Recording,
  root: string,
  executables: ReadonlyMap<string, string>,
): Map<string, string> {
  const binaries = new Map<string, string>();
  for (const { record } of sideband) {
    if (record.what !== 'mmap' || !record.file.startsWith('/') || binaries.has(record.file)) continue;
    const recorded = Buffer.from(record.file, 'latin1').toString();
    const path = executables.get(recorded) ?? join(root, recorded);
    if (existsSync(path)) binaries.set(record.file, path);
  }
  return binaries;
}
