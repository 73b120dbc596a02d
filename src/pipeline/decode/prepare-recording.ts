/**
 * Prepares a recording for the own decoder: finds its binaries.
 */
import { latin1Bytes, latin1Text, utf8Bytes, utf8Text } from '../../codec/bytes.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { Recording } from '../../perfdata/recording.js';
import { type JitDump, readJitDump } from '../../symbols/jitdump.js';
import { KERNEL_FILE } from '../../symbols/kallsyms.js';
import { type KernelFiles, kernelSegments, kernelSymbols } from '../../symbols/kernel-files.js';
import { type SymbolFileRefs, type SymbolFiles, type SymbolRoots, symbolFiles } from '../../symbols/symbol-files.js';
import type { PltNames } from '../../symbols/symbol-table.js';
import type { KernelCode } from './decode-plan.js';
import { type EncodedRecording, findBinaries, findTracedKernel, type Jumps } from './encoded-recording.js';
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
  const { paths } = findBinaries(recording, files, roots, fetched);
  const kernelFiles = findTracedKernel(recorded, options.path, files, roots);
  const binaries = kernelFiles === null ? paths : new Map([...paths, [KERNEL_FILE, kernelFiles.code]]);
  const kernel = kernelFiles && kernelCode(kernelFiles, files);
  const naming = {
    files: refs,
    roots,
    pltNames,
    buildIds: buildIdsOf(recording),
    kernel: kernelFiles,
    kernelSymbols: recorded.kernelSymbols,
  };
  const sizeBytes = recording.buffers.reduce((sum, buffer) => sum + buffer.sizeBytes, 0);
  return { ...rest, sizeBytes, recording, binaries, kernel, naming, locate: locator(naming) };
}

/** Where the kernel switches from the stack of one thread to that of the next. */
const SWITCH = '__switch_to';

function kernelCode(kernel: KernelFiles, files: SymbolFiles): KernelCode {
  const switchAt = kernelSymbols(kernel, files).named(SWITCH);
  return { segments: kernelSegments(kernel, files), file: KERNEL_FILE, switchAt };
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
