/**
 * What the offline page and its engine tell each other. The engine is a worker: everything is plain data, or a Blob.
 */
import type { ErrorCode } from '../model/errors.js';
import type { Timeline } from '../model/profile/timeline.js';
import type { PageData } from '../page/data/page-data.js';
import type { ReportHead } from '../page/document.js';

/** What the page writes, as `ptflame render` and `ptflame import` do. */
export type OutputFormat = 'html' | 'ptf' | 'folded' | 'svg' | 'json';

/** What was dropped. */
export interface Dropped {
  /** Files that were dropped together. A second drop is compared with the first, which is the one before. */
  readonly drops: readonly (readonly File[])[];
  /** Came later, for any of them: binaries that were missing. */
  readonly added: readonly File[];
}

export interface OpenOptions {
  /** How many workers read, decode and replay. */
  readonly jobs: number;
  /** What all of the work may take; more is refused before the browser ends the page. */
  readonly memoryBytes: number;
  /** Shows a recording without those of its binaries that are not here. */
  readonly withoutBinaries: boolean;
  /** Accepts a trace without times. */
  readonly byCalls: boolean;
  /** Compares the other way round. */
  readonly isSwapped: boolean;
}

export type Request =
  /** The first one: what workers of the engine run, which is its own code, and how many load it at once. */
  | { readonly kind: 'begin'; readonly code: Blob; readonly workers: number }
  | { readonly kind: 'open'; readonly dropped: Dropped; readonly options: OpenOptions }
  /** Compares what was opened the other way round. */
  | { readonly kind: 'swap' }
  /** Asks whether files that were dropped together can be compared with what was opened. */
  | { readonly kind: 'recognize'; readonly files: readonly File[] }
  | { readonly kind: 'write'; readonly format: OutputFormat };

export type Answer =
  | { readonly kind: 'progress'; readonly progress: EngineProgress }
  | { readonly kind: 'report'; readonly report: EngineReport }
  | { readonly kind: 'needs'; readonly needs: NeededBinaries }
  | { readonly kind: 'failure'; readonly failure: Failure }
  /** `sides`: null if they cannot be compared. */
  | { readonly kind: 'recognized'; readonly files: readonly File[]; readonly sides: ComparedNames | null }
  | { readonly kind: 'written'; readonly name: string; readonly content: Blob };

/** The names of what would be compared. */
export interface ComparedNames {
  readonly before: string;
  readonly after: string;
}

export type Phase = 'fetch' | 'unpack' | 'read' | 'replay' | 'write';

export interface EngineProgress {
  readonly phase: Phase;
  /** Bytes, or threads that are replayed or written. */
  readonly done: number;
  /** null: not known. */
  readonly of: number | null;
  /** How much of the work that is, from 0 to 1. Default: `done` of `of`. */
  readonly share?: number;
}

export interface EngineReport {
  readonly head: ReportHead;
  /** What the page shows. */
  readonly data: PageData;
  /** null: there are no times. */
  readonly timeline: Timeline | null;
  /** Blocked time; null: nobody waited, or it is not known for whom. */
  readonly blocked: PageData | 'too large' | null;
  /** Times can be compared with those of another recording. */
  readonly shows: 'times' | 'calls' | 'comparison';
  /** What can be written of it: a profile is no trace. */
  readonly formats: readonly OutputFormat[];
  /** What the command line says besides, such as files that are missing. */
  readonly notes: readonly string[];
  /** Binaries that are dropped are read. */
  readonly takesBinaries: boolean;
}

/** The files that ran while a recording was made. */
export interface NeededBinaries {
  /** The file name of the recording. */
  readonly recording: string;
  readonly files: readonly NeededBinary[];
  /** The names of dropped files that the recording does not need. */
  readonly unused: readonly string[];
}

export interface NeededBinary {
  /** As recorded. */
  readonly path: string;
  readonly state: 'found' | 'missing' | 'other build' | '32-bit';
  /** Build ids; null: not known. */
  readonly wanted: string | null;
  readonly found: string | null;
}

export interface Failure {
  /** null: a bug in ptflame. */
  readonly code: ErrorCode | null;
  readonly message: string;
  /** In words of the command line. */
  readonly hint: string;
  readonly output: readonly string[];
}
