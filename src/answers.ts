/**
 * Answers to questions, as commands print them: their schemas, and the functions that create them from a profile.
 */

export { FleetAnswer, FleetFunction, FleetGrowth, FleetOutlier } from './fleet/schema.js';
export { filesBehindNames } from './model/symbol-table.js';
export { type DiffKey, type DiffOptions, diffOf, isChanged } from './questions/diff/answer.js';
export { checkLimits, type DiffLimit, type ExceededLimit, type LimitedNumber } from './questions/diff/limits.js';
export { Diff, DiffRow } from './questions/diff/schema.js';
export { latencyAnswer, SELF } from './questions/latency/answer.js';
export {
  CallerRow,
  CallsOverTime,
  ChildRow,
  DifferenceRow,
  Latency,
  LatencyStats,
  SlowCall,
  TimedCall,
} from './questions/latency/schema.js';
export { locksAnswer } from './questions/locks/ask-locks.js';
export { LockHolder, LockRow, Locks, LockWait } from './questions/locks/schema.js';
export { type ReportOptions, reportOf, type SortKey } from './questions/report/answer.js';
export { FunctionRow, Report, ThreadReport } from './questions/report/schema.js';
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
export { type StackOfThread, stacksAnswer } from './questions/stacks/answer.js';
export { Stacks } from './questions/stacks/schema.js';
export { valuesAnswer } from './questions/values/ask-values.js';
export { ValueStatistics, ValuesAnswer } from './questions/values/schema.js';
export { waitsAnswer } from './questions/waits/ask-wait-summary.js';
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
