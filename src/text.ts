/**
 * Texts for people: numbers, times and bounds, names that others chose, and errors, the same in terminal and pictures. It loads
 * nothing else, so that `--help` stays fast.
 */
export { type ErrorCode, PtflameError, systemReason, unreadableInput } from './model/errors.js';
export { MIN_MEMORY_BYTES } from './model/min-memory.js';
export { safeJson } from './model/safe-json.js';
export { perfTimeText } from './model/trace/perf-time.js';
export { PTFLAME_VERSION } from './model/version.js';
export {
  EXACT_NS,
  formatAtLeast,
  formatAverageCount,
  formatBounds,
  formatBytes,
  formatCalls,
  formatCount,
  formatDifference,
  formatDuration,
  formatLongest,
  formatMany,
  formatPercentChange,
  formatPercentile,
  formatShare,
  formatTotal,
  isAbout,
  isTotalInferred,
  longestInferredNs,
  type PercentileRange,
  threadNoun,
} from './render/format.js';
export { shorterNames } from './render/short-names.js';
export { similarNames } from './render/similar-names.js';
export { shellWords, visibleText } from './render/visible-text.js';
