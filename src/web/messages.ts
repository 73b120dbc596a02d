/**
 * What the offline page and its engine tell each other. The engine is a worker: everything is plain data, or a Blob.
 */
import type { ErrorCode } from '../model/errors.js';
import type { Timeline } from '../model/profile/timeline.js';
import type { PageData } from '../page/data/page-data.js';
import type { ReportHead } from '../page/document.js';

/** What the page writes, as `ptflame render` and `ptflame import` do. */
export type OutputFormat = 'html' | 'ptf' | 'folded' | 'svg' | 'json';

export interface OpenOptions {
  /** How many workers read, decode and replay. */
  readonly jobs: number;
  /** What all of the work may take; more is refused before the browser ends the page. */
  readonly memoryBytes: number;
  /** Shows a recording without those of its binaries that are not here. */
  readonly withoutBinaries: boolean;
  /** Accepts a trace without times. */
  readonly byCalls: boolean;
}

export type Request =
  /** The first one: what workers of the engine run, which is its own code, and how many load it at once. */
  | { readonly kind: 'begin'; readonly code: Blob; readonly workers: number }
  | { readonly kind: 'open'; readonly files: readonly File[]; readonly options: OpenOptions }
  | { readonly kind: 'write'; readonly format: OutputFormat };

export type Answer =
  | { readonly kind: 'progress'; readonly progress: EngineProgress }
  | { readonly kind: 'report'; readonly report: EngineReport }
  | { readonly kind: 'needs'; readonly needs: NeededBinaries }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'written'; readonly name: string; readonly content: Blob };

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
