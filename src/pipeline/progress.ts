/**
 * Progress of the work on a trace.
 */
import type { ReadProgress } from './read/trace-builder.js';

export interface ReplayProgress {
  readonly phase: 'replay';
  readonly threads: number;
  readonly ofThreads: number;
}
/** Reported by imports. */
export interface WriteProgress {
  readonly phase: 'write';
  readonly threads: number;
  readonly ofThreads: number;
}
export type Progress = ReadProgress | ReplayProgress | WriteProgress;
