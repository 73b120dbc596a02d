/**
 * Answers to questions, as commands print them: their schemas, and the functions that create them from a profile.
 */

export { type DiffKey, type DiffOptions, diffOf, isChanged } from './answers/diff/answer.js';
export { checkLimits, type DiffLimit, type ExceededLimit, type LimitedNumber } from './answers/diff/limits.js';
export { FleetAnswer, FleetFunction, FleetGrowth, FleetOutlier } from './answers/fleet/schema.js';
export { latencyAnswer, SELF } from './answers/latency.js';
export { locksAnswer } from './answers/locks/answer.js';
export { LockHolder, LockRow, Locks, LockWait } from './answers/locks/schema.js';
export { type ReportOptions, reportOf, type SortKey } from './answers/report.js';
export { requestsAnswer } from './answers/requests/answer.js';
export {
  RequestDetails,
  RequestPart,
  RequestSpan,
  RequestsAnswer,
  RequestThreadTime,
  RequestTime,
  RequestWait,
} from './answers/requests/schema.js';
export {
  CallerRow,
  CallsOverTime,
  ChildRow,
  Diff,
  DifferenceRow,
  DiffRow,
  FunctionRow,
  Latency,
  LatencyStats,
  Report,
  SlowCall,
  Stacks,
  ThreadReport,
  TimedCall,
} from './answers/schema.js';
export { type StackOfThread, stacksAnswer } from './answers/stacks.js';
export { valuesAnswer } from './answers/values/answer.js';
export { ValueStatistics, ValuesAnswer } from './answers/values/schema.js';
export {
  PathPiece,
  SlowWait,
  StagePoint,
  StageRow,
  WaitPlace,
  WaitStats,
  WaitsAnswer,
  WaitThread,
  WakerRow,
} from './answers/waits/schema.js';
export { waitsAnswer } from './answers/waits/waits-answer.js';
export { filesBehindNames } from './model/names/distinct-names.js';
export { nameMatcher } from './store/records/name-matcher.js';
