/**
 * ptflame as a library: a trace in, a profile out, pictures and text from it. Importing it starts nothing.
 */

export type { CallTree } from './model/call-tree.js';
export { type ErrorCode, PtflameError } from './model/errors.js';
export { checkMemory } from './model/memory-watch.js';
export type { PerfTime } from './model/perf-time.js';
export type { Profile, RecordedWhere, ThreadProfile, TraceMeta } from './model/profile.js';
export type { LossKind, Quality, TraceGap } from './model/quality.js';
export type { SidebandRecord } from './model/sideband.js';
export { SymbolKind } from './model/symbol-table.js';
export type { Selection } from './model/trace-chunk.js';
export { type ElfFile, readElf } from './pack/elf-file.js';
export { isPack } from './pack/is-pack.js';
export { type NeededFile, neededFiles } from './pack/needed-files.js';
export { type HtmlOptions, renderHtml } from './page.js';
export type { RecordingFile } from './perfdata/file-window.js';
export { isRecording } from './perfdata/header.js';
export { openRecording } from './perfdata/open-recording.js';
export { type DecodeJob, type PlanOptions, planJobs } from './perfdata/plan-jobs.js';
export { type ReadRecordingOptions, readRecording } from './perfdata/read-recording.js';
export type {
  AuxBuffer,
  AuxRecord,
  BuildId,
  RecordedEvent,
  RecordedMachine,
  Recording,
  TraceSettings,
} from './perfdata/recording.js';
export { type Salvaged, salvageRecording } from './perfdata/salvage.js';
export {
  type AnalyzeOptions,
  analyze,
  askLatency,
  askStacks,
  type LatencyResult,
  type StacksResult,
} from './pipeline/analyze.js';
export { type ImportedTrace, type ImportOptions, importTrace } from './pipeline/import/import-trace.js';
export { type InputKind, tellKind } from './pipeline/input/input-kind.js';
export { type OpenedInput, openTraceFile, traceStream } from './pipeline/input/open-input.js';
export { type OpenStoredOptions, openStoredTrace, type StoredTrace } from './pipeline/input/stored-trace.js';
export type { TraceInput } from './pipeline/input/trace-input.js';
export type { Trees } from './pipeline/profile/profile-builder.js';
export { type ReadProfileOptions, readProfile } from './pipeline/profile/read-profile.js';
export type { Progress } from './pipeline/progress.js';
export type { AnalyzedInput } from './pipeline/read/read-trace.js';
export type { DecodedPart, DecodedRecording } from './pipeline/read/recording-source.js';
export type {
  CallPattern,
  FilterOptions,
  FunctionPattern,
  LatencyOptions,
  Moment,
} from './pipeline/replay/questions.js';
export { boundMemory } from './pipeline/workers/bound-memory.js';
export type { ResourceOptions } from './pipeline/workers/resources.js';
export { renderJson } from './profile-file/write.js';
export { type FoldedOptions, foldedBytes, mostFoldedBytes, renderFolded } from './render/folded.js';
export type { Grouping } from './render/named-tree.js';
export { type QualitySummary, qualitySummary } from './render/quality-summary.js';
export { renderSvg, type SvgOptions } from './render/svg/svg.js';
export { nameMatcher } from './store/name-matcher.js';
export { isTraceFile } from './trace-file/format.js';
