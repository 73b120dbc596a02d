/**
 * What a recording is planned from.
 */
import type { RecordOptions } from '../options/record.js';
import type { Machine } from './machine/probe.js';
import type { PerfVersion } from './machine/version.js';
import type { Target } from './target.js';

export interface PlanInput {
  readonly options: RecordOptions;
  readonly target: Target;
  readonly machine: Machine;
  /** null if perf is missing; a recent one is assumed. */
  readonly version: PerfVersion | null;
  /** The name of the group of its probes. */
  readonly group: string;
}
