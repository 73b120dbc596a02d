/**
 * Defines the source code of the report page: a block of JSON with the lines of functions, and the calls that are made there.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { ListedFunction } from './requests.js';

export interface PageSource {
  /** Those with most time. */
  readonly functions: readonly SourceFunction[];
  readonly leftOut: number;
}

export interface SourceFunction {
  readonly fn: ListedFunction;
  /** Empty: not known. */
  readonly file: string;
  /** In the order of the code; those of other files, and what is of no known line, last. */
  readonly lines: readonly SourceCodeLine[];
}

export interface SourceCodeLine {
  /** Null: not known, or up to its end. */
  readonly line: number | null;
  /** Absent: that of the function. */
  readonly file?: string;
  /** Absent: it was not read. */
  readonly text?: string;
  /** Own time of the function from the call before, or its beginning, up to the first call on this line. Absent: none. */
  readonly ownNs?: Nanoseconds;
  /** Most time first. Absent: none. */
  readonly calls?: readonly SourceCalls[];
}

/** Of a stop, `[syscall]`, too. */
export interface SourceCalls {
  readonly fn: ListedFunction;
  readonly calls: number;
  readonly inferred: number;
  readonly ns: Nanoseconds;
}
