/**
 * What is missing of the samples of a trace.
 */
import type { Nanoseconds } from '../units.js';

/** Time in which samples were lost. */
export interface LostSpan {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

/** What is missing of the samples of the inputs, without side recordings. */
export interface SampleAccount {
  /** Of text; they count as ignored lines, because replay does not need them. */
  readonly lines: number;
  /** Their format is unknown, because perf was killed. */
  readonly unreadable: number;
  /** Too short or impossible; also in side recordings. */
  readonly damaged: number;
  /** Records and samples that the kernel could not write. */
  readonly lost: number;
  /** When they were lost; also in side recordings. */
  readonly lostSpans: readonly LostSpan[];
}

/** A side recording: wakings on the whole machine, or others that the user named. */
export interface SideAccount {
  /** The recording that it belongs to. */
  readonly input: string;
  readonly side: string;
  readonly isMissing: boolean;
  readonly samples: number;
  readonly unreadable: number;
  readonly lost: number;
}
