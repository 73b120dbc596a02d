/**
 * How far a profile may be trusted: what was damaged, lost or reasoned out.
 */
import { type Nanoseconds, NONE, type Tid } from '../units.js';

/** Why a call's start or end was not seen and had to be reasoned out. */
export const Inference = {
  /** It was running when the thread's trace began. */
  OpenAtStart: 0,
  /** It was still running when the trace ended, or its program did (exec). */
  OpenAtEnd: 1,
  /** A gap in the trace cut it. */
  CutByGap: 2,
  /** It was left without a return, and nothing in the trace proves when. */
  Unwound: 3,
  /** It was jumped to, and the jump was not shown. */
  HiddenJump: 4,
} as const;
export type Inference = (typeof Inference)[keyof typeof Inference];
export type InferenceName = keyof typeof Inference;

/**
 * In place of an `Inference`: both ends of the call are known, but an exception, a longjmp or a return to a deeper caller
 * ended it. It is whole, and counts with its duration.
 */
export const UNWOUND = 5;

/** The call was seen from start to end. `why`: an `Inference`, UNWOUND, or NONE if it returned. */
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
      /** Of the first error in the gap: perf's number, and perf's words, cut where they are longer than any of perf's. */
      readonly code: number;
      readonly message: string;
      /** The file that the address of the error lies in; null if the trace does not tell. */
      readonly file: string | null;
    }
  /** A trace start that does not follow from what came before: something is missing, and perf did not say so. */
  | { readonly cause: 'unannounced' }
  /**
   * The thread ran, and no branch of it was decoded: it is not seen again, or perf lacked code elsewhere. `file`: where it was last, if
   * that is a file whose code perf lacked.
   */
  | { readonly cause: 'undecoded'; readonly file: string | null }
);

/** All gaps of one cause, added up. */
export interface LossKind {
  /** `others`: the kinds that lost least, where there are too many of them to be listed. */
  readonly cause: TraceGap['cause'] | 'others';
  /** perf's number of the error; null for other causes, and for all numbers above 99, which are one kind. */
  readonly code: number | null;
  /** What perf says to such a number; for one that no known perf has, the smallest text that was seen. */
  readonly message: string;
  /** For errors that are about the code in a file: that file; null for others, and if the trace does not tell. */
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

/** Of the text alone: every line is one of the four. */
export interface LineCounts {
  lines: number;
  events: number;
  gapLines: number; // perf's error lines
  ignoredLines: number; // understood, not needed: headers, records of other events, threads not asked for
  damagedLines: number;
}

export interface Quality extends Readonly<LineCounts> {
  /** By input name, then line; ten at most. */
  readonly firstDamaged: readonly DamagedLine[];
  /** Inputs that could not be read to their end, and why. */
  readonly brokenInputs: readonly { readonly input: string; readonly reason: string }[];
  /** Every gap counts in one of them; by time lost, then gaps, most first; 64 at most, and one for all others. */
  readonly losses: readonly LossKind[];
  /** For drawing, by thread, then time: all gaps, or the 10,000 longest. */
  readonly gaps: readonly TraceGap[];
  /** Threads that have a gap. */
  readonly threadsCut: number;
  readonly inferredCalls: Readonly<Record<InferenceName, number>>;
  /** Events of which nothing in the trace decides what they did to the stack: a guess was made. */
  readonly inferredEvents: number;
  /** Times that were earlier than the event before them, and were set to its time. */
  readonly clockSteps: number;
  /** Flag words that no known perf prints, taken as jumps: the 100 smallest, each cut to 80 characters. */
  readonly unknownFlags: readonly string[];
  /** Lines with such words. */
  readonly unknownFlagLines: number;
  /**
   * Wall time, over all threads. Lost: nothing is known. Inferred: the call path is a guess, for no address confirms it.
   * Hidden: it is inferred only because of a jump that was not shown, or of an exception that may have landed elsewhere: no
   * address tells where control went, or when. Unknown: in
   * functions without a name. Total: all there is.
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
