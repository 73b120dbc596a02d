/**
 * Prepares a recording for the own decoder: finds its binaries.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RecordingEnvironment } from '../../src/model/profile/profile.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { type EncodedRecording, findBinaries, type Jumps } from '../../src/pipeline/decode/encoded-recording.js';
import { withJitCode } from '../../src/pipeline/decode/jit-code.js';
import { locator } from '../../src/pipeline/decode/locate.js';
import { type JitDump, readJitDump } from '../../src/symbols/jitdump.js';
import type { SymbolRoots } from '../../src/symbols/symbol-files.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import type { PltNames } from '../../src/symbols/symbol-table.js';
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
  readonly jumps: Jumps;
  readonly recorded: RecordingEnvironment | null;
  readonly broken: string | null;
}

/** The recording must be one that the decoder supports. */
export function encodedRecording(recorded: Recording, options: OwnOptions): EncodedRecording {
  const { symfs, fetched = NOTHING_FETCHED, pltNames = pltNamesOf(recorded), ...rest } = options;
  const recording = withJitCode(recorded, (file) =>
    readDump(join(symfs ?? '/', Buffer.from(file, 'latin1').toString())),
  );
  const roots = { ...rootsOf(symfs), debuginfod: fetched.directory };
  const { paths: binaries } = findBinaries(recording, DISK_FILES, roots, fetched.executables);
  const naming = { files: null, roots, pltNames, buildIds: buildIdsOf(recording) };
  const sizeBytes = recording.buffers.reduce((sum, buffer) => sum + buffer.sizeBytes, 0);
  return { ...rest, sizeBytes, recording, binaries, naming, locate: locator(naming) };
}

const CACHE = '.debug';

/** perf keeps copies of binaries in the home directory, or in the directory that replaces the root. */
export function rootsOf(symfs: string | null): SymbolRoots {
  return { root: symfs ?? '', cache: join(symfs ?? homedir(), CACHE) };
}

function readDump(path: string): JitDump | null {
  const file = DISK_FILES.open(path);
  if (file === null) return null;
  try {
    return readJitDump(file);
  } finally {
    file.close();
  }
}

/** Depends on the recording alone: which perf is installed here makes no difference. */
function pltNamesOf({ machine }: Recording): PltNames {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(machine.perfVersion ?? '') ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 3) ? 'all' : 'perf-6.1';
}

function buildIdsOf({ buildIds }: Recording): Map<string, string> {
  return new Map(buildIds.map(({ file, buildId }) => [Buffer.from(file).toString('latin1'), buildId]));
}
