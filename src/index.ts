/**
 * The public library: reads and analyzes traces, and renders profiles. Importing it has no side effects.
 * docs/library.md documents every name; everything else is internal.
 */
export type { CallTree } from './model/calls/call-tree.js';
export { type ErrorCode, PtflameError } from './model/errors.js';
export type { Profile, Quality, ThreadProfile, TraceMeta } from './model/profile/profile.js';
export { SymbolKind } from './model/symbol-table.js';
export type { Selection } from './model/trace/trace-chunk.js';
export { type HtmlOptions, renderHtml } from './page/html.js';
export {
  type AnalyzeOptions,
  analyze,
  askLatency,
  askStacks,
  type LatencyResult,
  type StacksResult,
} from './pipeline/analyze.js';
export { type ImportedTrace, type ImportOptions, importTrace } from './pipeline/import-trace.js';
export type { TraceSource } from './pipeline/open-sources.js';
export { openTraceFile, type TraceInput, traceStream } from './pipeline/open-text.js';
export { type ReadProfileOptions, readProfile } from './pipeline/profile/read-profile.js';
export type { AnalyzedInput } from './pipeline/read/read-trace.js';
export type { Progress } from './pipeline/read/trace-builder.js';
export type { FunctionPattern } from './pipeline/replay/find-functions.js';
export type { FindInlined, FindSourceLines } from './pipeline/replay/name-functions.js';
export type { CallPattern, LatencyOptions, Moment } from './pipeline/replay/selection.js';
export { openStoredTrace, type StoredTrace } from './pipeline/stored-trace.js';
export { renderJson } from './profile-file/write.js';
export { askLocks, type LocksOptions } from './questions/locks/ask-locks.js';
export { askRequests, type RequestsResult } from './questions/requests/ask-requests.js';
export type { FlowPattern, RequestsOptions } from './questions/requests/request-question.js';
export { askValues, type ValuesQuestion, type ValuesResult } from './questions/values/ask-values.js';
export { askWaits, type WaitsQuestion, type WaitsResult } from './questions/waits/ask-wait-summary.js';
export { profileBlockedTime } from './questions/waits/blocked-by.js';
export { type FoldedOptions, renderFolded } from './render/folded.js';
export { type QualitySummary, qualitySummary } from './render/quality-summary.js';
export { renderSvg, type SvgOptions } from './render/svg/svg.js';
