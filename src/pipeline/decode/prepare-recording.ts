/**
 * Prepares a recording for the own decoder: finds its binaries.
 */
import { latin1Bytes, latin1Text, utf8Bytes, utf8Text } from '../../codec/bytes.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { Recording } from '../../perfdata/recording.js';
import { type JitDump, readJitDump } from '../../symbols/jitdump.js';
import { type SymbolFileRefs, type SymbolFiles, type SymbolRoots, symbolFiles } from '../../symbols/symbol-files.js';
import type { PltNames } from '../../symbols/symbol-table.js';
import { type EncodedRecording, findBinaries, type Jumps } from './encoded-recording.js';
import { withJitCode } from './jit-code.js';
import { locator } from './locate.js';

export interface PrepareOptions {
  readonly name: string;
  /** The recording's file. */
  readonly path: string;
  /** Where the binaries are. */
  readonly files: SymbolFileRefs;
  readonly roots: SymbolRoots;
  /** Binaries that were fetched, by recorded path. Default: none. */
  readonly fetched?: ReadonlyMap<string, string>;
  /** Default: as the perf that recorded names them. */
  readonly pltNames?: PltNames | undefined;
  readonly jumps: Jumps;
  readonly recorded: RecordingEnvironment | null;
  readonly broken: string | null;
}

/** The recording must be one that the decoder supports. */
export function prepareRecording(recorded: Recording, options: PrepareOptions): EncodedRecording {
  const { files: refs, roots, fetched, pltNames = pltNamesOf(recorded), ...rest } = options;
  const files = symbolFiles(refs);
  const recording = withJitCode(recorded, (file) => readDump(`${roots.root}${utf8Text(latin1Bytes(file))}`, files));
  const { paths: binaries } = findBinaries(recording, files, roots, fetched);
  const naming = { files: refs, roots, pltNames, buildIds: buildIdsOf(recording) };
  const sizeBytes = recording.buffers.reduce((sum, buffer) => sum + buffer.sizeBytes, 0);
  return { ...rest, sizeBytes, recording, binaries, naming, locate: locator(naming) };
}

function readDump(path: string, files: SymbolFiles): JitDump | null {
  const file = files.open(path);
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
  return new Map(buildIds.map(({ file, buildId }) => [latin1Text(utf8Bytes(file)), buildId]));
}
