/**
 * Answers to questions, as commands print them: their schemas, and the functions that create them from a profile.
 */

export { FleetAnswer, FleetFunction, FleetGrowth, FleetOutlier } from './fleet/schema.js';
export { filesBehindNames } from './model/symbol-table.js';
export { type DiffKey, type DiffOptions, diffOf, isChanged } from './questions/diff/answer.js';
export { checkLimits, type DiffLimit, type ExceededLimit, type LimitedNumber } from './questions/diff/limits.js';
export { latencyAnswer, SELF } from './questions/latency/answer.js';
export { locksAnswer } from './questions/locks/answer.js';
export { LockHolder, LockRow, Locks, LockWait } from './questions/locks/schema.js';
export { type ReportOptions, reportOf, type SortKey } from './questions/report/answer.js';
export { requestsAnswer } from './questions/requests/answer.js';
export {
  RequestDetails,
  RequestPart,
  RequestSpan,
  RequestsAnswer,
  RequestThreadTime,
  RequestTime,
  RequestWait,
} from './questions/requests/schema.js';
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
} from './questions/schema.js';
export { type StackOfThread, stacksAnswer } from './questions/stacks/answer.js';
export { valuesAnswer } from './questions/values/answer.js';
export { ValueStatistics, ValuesAnswer } from './questions/values/schema.js';
export { waitsAnswer } from './questions/waits/answer.js';
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
} from './questions/waits/schema.js';
export { nameMatcher } from './trace/records/thread-names.js';
