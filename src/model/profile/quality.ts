/**
 * The quality of a profile: what was damaged, lost or inferred.
 */
import type { OtherSamples } from '../samples/sample-account.js';
import { type Nanoseconds, NONE, type Tid } from '../units.js';

/** Why a call is inferred: its start or end was not seen. */
export const Inference = {
  /** It was running when the thread's trace began. */
  OpenAtStart: 0,
  /** It was still running when the trace ended, or when its program did (exec). */
  OpenAtEnd: 1,
  /** A gap in the trace cut it. */
  CutByGap: 2,
  /** It was left without a return, at a time that nothing in the trace proves. */
  Unwound: 3,
  /** It was entered by a hidden jump. */
  HiddenJump: 4,
} as const;
export type Inference = (typeof Inference)[keyof typeof Inference];
export type InferenceName = keyof typeof Inference;

/**
 * Instead of an `Inference`: both ends of the call are known, but an exception, a longjmp or a return to a deeper caller
 * ended it. It is complete, and counts with its duration.
 */
export const UNWOUND = 5;

/** Whether start and end of a call are known. `why`: an `Inference`, UNWOUND, or NONE if it returned. */
export function isComplete(why: number): boolean {
  return why === NONE || why === UNWOUND;
}

export type TraceGap = {
  readonly tid: Tid;
  readonly atNs: Nanoseconds;
  /** Until the thread was seen again. */
  readonly lengthNs: Nanoseconds;
} & (
  | {
      readonly cause: 'decode-error';
      /** perf's number and text of the first error in the gap; the text is cut if it is longer than any of perf's own. */
      readonly code: number;
      readonly message: string;
      /** The file that contains the address of the error; null if unknown. */
      readonly file: string | null;
    }
  /** Tracing started again without continuing what came before: something is missing, but perf reported no error. */
  | { readonly cause: 'unannounced' }
  /**
   * The thread ran, but no branch of it was decoded: it is never seen again, or perf lacked code elsewhere. `file`: where the thread
   * was last, if perf lacked the code of that file.
   */
  | { readonly cause: 'undecoded'; readonly file: string | null }
);

/** The sum of all gaps with one cause. */
export interface LossKind {
  /** `others`: all kinds that do not fit into the list, those with the least loss. */
  readonly cause: TraceGap['cause'] | 'others';
  /** perf's number of the error; null for other causes, and for all numbers above 99, which are one kind. */
  readonly code: number | null;
  /** perf's text for this number; for numbers that no known perf uses, the smallest text that occurred. */
  readonly message: string;
  /** For errors caused by the code in a file: that file; null for other errors, and if unknown. */
  readonly file: string | null;
  readonly gaps: number;
  /** Wall time, over all threads. */
  readonly lostNs: Nanoseconds;
}

export interface DamagedLine {
  readonly input: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** Counts lines of text: every line is one of the four kinds. */
export interface LineCounts {
  lines: number;
  events: number;
  gapLines: number; // perf's error lines
  ignoredLines: number; // understood, but not needed: headers, records of other events, threads that are not selected
  damagedLines: number;
}

export interface Quality extends Readonly<LineCounts> {
  /** Samples of tracepoints and probes, among the ignored lines; absent: none. */
  readonly sampleLines?: number | undefined;
  /** Samples of events that are not used, by event; of text, they are ignored lines. Absent: none. */
  readonly otherSamples?: readonly OtherSamples[] | undefined;
  /** By input name, then line; ten at most. */
  readonly firstDamaged: readonly DamagedLine[];
  /** Inputs that could not be read to their end, and why. */
  readonly brokenInputs: readonly { readonly input: string; readonly reason: string }[];
  /** Every gap counts in one of them; by time lost, then number of gaps, descending; at most 64, and one for all others. */
  readonly losses: readonly LossKind[];
  /** For drawing, by thread, then time: all gaps, or the 10,000 longest. */
  readonly gaps: readonly TraceGap[];
  /** Threads that have a gap. */
  readonly threadsCut: number;
  readonly inferredCalls: Readonly<Record<InferenceName, number>>;
  /** Events whose effect on the stack had to be inferred. */
  readonly inferredEvents: number;
  /** Times before that of the previous event, which were set to it. */
  readonly clockSteps: number;
  /** Wall time over all threads in functions, on the CPU: what was decoded. Absent: nothing was lost. */
  readonly codeNs?: Nanoseconds;
  /** Hits of probes whose damage to the trace was taken out; absent: none. */
  readonly mendedHits?: number;
  /** Flag words that no known perf prints, handled as jumps: the 100 smallest, each cut to 80 characters. */
  readonly unknownFlags: readonly string[];
  /** Lines with such words. */
  readonly unknownFlagLines: number;
  /**
   * Wall time, over all threads. Lost: nothing is known. Inferred: no address confirms the call path. Hidden: inferred only
   * because of a hidden jump, or of an exception that may have landed elsewhere: no address shows where control went, or
   * when. Unknown: in functions without a name. Total: everything.
   */
  readonly lostNs: Nanoseconds;
  readonly inferredNs: Nanoseconds;
  readonly hiddenNs: Nanoseconds;
  readonly unknownNs: Nanoseconds;
  readonly totalNs: Nanoseconds;
}

export function noLines(): LineCounts {
  return { lines: 0, events: 0, gapLines: 0, ignoredLines: 0, damagedLines: 0 };
}

export function noInferences(): Record<InferenceName, number> {
  return { OpenAtStart: 0, OpenAtEnd: 0, CutByGap: 0, Unwound: 0, HiddenJump: 0 };
}
