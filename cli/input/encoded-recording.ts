/**
 * Prepares a recording for the own decoder: says where this machine has its binaries.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Recording } from '../../src/perfdata/recording.js';
import type { EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { type PrepareOptions, prepareRecording } from '../../src/pipeline/decode/prepare-recording.js';
import type { SymbolRoots } from '../../src/symbols/symbol-files.js';
import { type FetchedBinaries, NOTHING_FETCHED } from './fetch-binaries.js';

interface OwnOptions extends Omit<PrepareOptions, 'files' | 'roots' | 'fetched'> {
  /** Directory with the recorded binaries; null: the root directory. */
  readonly symfs: string | null;
  readonly fetched?: FetchedBinaries;
}

/** The recording must be one that the decoder supports. */
export function encodedRecording(
  recorded: Recording,
  { symfs, fetched = NOTHING_FETCHED, ...options }: OwnOptions,
): EncodedRecording {
  const roots = { ...rootsOf(symfs), debuginfod: fetched.directory };
  return prepareRecording(recorded, { ...options, files: null, roots, fetched: fetched.executables });
}

const CACHE = '.debug';

/** perf keeps copies of binaries in the home directory, or in the directory that replaces the root. */
export function rootsOf(symfs: string | null): SymbolRoots {
  return { root: symfs ?? '', cache: join(symfs ?? homedir(), CACHE) };
}
