/**
 * The kinds of lines that `perf script` prints.
 */
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { SidebandRecord } from '../../model/trace/trace-chunk.js';
import type { Address } from '../../model/units.js';
import type { Flags } from './flags.js';
import type { SampleText } from './sample-line.js';

/** The columns before the event; `pid`, `cpu`, `comm` and `time` are null if they were not printed. */
export interface Prefix {
  readonly comm: string | null;
  readonly pid: number | null;
  readonly tid: number;
  readonly cpu: number | null;
  readonly time: PerfTime | null;
}

export type PerfLine =
  | {
      readonly type: 'branch';
      readonly prefix: Prefix;
      readonly flags: Flags;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: 'error';
      readonly time: PerfTime | null;
      readonly cpu: number; // -1 if unknown, like pid and tid
      readonly pid: number;
      readonly tid: number;
      readonly ip: Address; // NaN if unknown
      readonly code: number;
      readonly message: string;
    }
  | { readonly type: 'sideband'; readonly prefix: Prefix; readonly record: SidebandRecord }
  /** It has a time. `sample` is null if perf did not print which event it is, and it is none of the usual ones. */
  | { readonly type: 'sample'; readonly prefix: Prefix; readonly sample: SampleText | null }
  /** A sample of an event that is not used, such as cycles; null: perf did not print its name. */
  | { readonly type: 'other'; readonly event: string | null }
  /** Valid, but nothing to replay: blank lines, headers, source lines, call chains, events of Intel PT. */
  | { readonly type: 'ignored' }
  | { readonly type: 'damaged'; readonly reason: string };
