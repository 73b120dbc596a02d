/**
 * What the checks are made from, and their results.
 */
import type { PtflameError } from '../../src/model/errors.js';
import type { Machine } from '../perf/machine/probe.js';
import type { PerfVersion } from '../perf/machine/version.js';
import type { Buffers } from '../perf/plan/buffers.js';
import type { Check } from './report.js';

export interface DoctorInput {
  readonly machine: Machine;
  /** The error if perf is missing or broken. */
  readonly perf: PerfVersion | PtflameError;
  readonly buildOptions: ReadonlyMap<string, boolean>;
  /** For a recording of all CPUs. */
  readonly buffers: Buffers;
  readonly output: string;
  readonly freeDiskBytes: number | null;
}

type Name = Check['check'];

export const ok = (check: Name, text: string): Check => ({ check, level: 'ok', text, remedy: null });
export const warn = (check: Name, text: string, remedy: string | null): Check => ({
  check,
  level: 'warn',
  text,
  remedy,
});
export const fail = (check: Name, text: string, remedy: string | null): Check => ({
  check,
  level: 'fail',
  text,
  remedy,
});
