/**
 * Recordings (perf.data): reading, dividing into jobs for perf script, salvaging, the files that decoding needs, and decoding by
 * hand. For the command line, which starts perf, and for benchmarks; not part of the public library.
 */

export { homeOfCode } from './model/names/mapped-files.js';
export type { RecordingEnvironment } from './model/profile/profile.js';
export { GENERATED_REMEDY } from './model/profile/remedies.js';
export type { PerfTime } from './model/trace/perf-time.js';
export { readElf } from './pack/elf-file.js';
export { type NeededFile, neededFiles } from './pack/needed-files.js';
export type { RecordingFile } from './perfdata/file/file-window.js';
export { openRecording } from './perfdata/open-recording.js';
export { type DecodeJob, type PlanOptions, planJobs } from './perfdata/plan-jobs.js';
export { readRecording } from './perfdata/read-recording.js';
export type {
  AuxBuffer,
  AuxRecord,
  RecordedEvent,
  RecordedSamples,
  Recording,
  TraceSettings,
} from './perfdata/recording.js';
export { type Trailer, trailerOf } from './perfdata/records/sample-id.js';
export { salvageRecording } from './perfdata/salvage.js';
export { openSideRecording, type SideRecording } from './perfdata/side-recording.js';
export { type FoundBinaries, findBinaries } from './pipeline/decode/binaries/find-binaries.js';
export { withJitCode } from './pipeline/decode/binaries/jit-code.js';
export { locator } from './pipeline/decode/binaries/locate.js';
export { decodePlan } from './pipeline/decode/decode-plan.js';
export { type DecodedSample, decodeSample, type TracedTime, tracedTime } from './pipeline/decode/decode-sample.js';
export { RecordingDecoder } from './pipeline/decode/decode-task.js';
export { decodeContext, type EncodedRecording, type Jumps } from './pipeline/decode/encoded-recording.js';
export { type FunctionExits, functionExits } from './pipeline/decode/function-exits.js';
export { type Unsupported, unsupported } from './pipeline/decode/supported.js';
export type { DecodedRecording } from './pipeline/read/recording-source.js';
export type { SampledRecording } from './pipeline/read/sampled-source.js';
export { isOfWaits } from './pipeline/waits/wait-facts.js';
export {
  type BinaryFunction,
  type BinaryNames,
  buildIdWithoutSymbols,
  completeBuildId,
  type DebugInfoOptions,
  type DebugInfoState,
  DISK_FILES,
  debugReader,
  functionLines,
  inlinedFunctions,
  isJitDump,
  type JitDump,
  type PltNames,
  readJitDump,
  readNames,
  type SymbolRoots,
} from './symbols/symbolizer.js';
