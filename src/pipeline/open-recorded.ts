/**
 * Opens a recording by its path, with what was made next to it, as an input for the own decoder.
 */
import { PtflameError } from '../model/errors.js';
import type { RecordingEnvironment } from '../model/profile/profile.js';
import { dataFilePath, openRecording, openSides, recordingEnvironment } from '../perfdata/open-recording.js';
import type { Recording } from '../perfdata/recording.js';
import type { SideRecording } from '../perfdata/side-recording.js';
import { type SymbolFileRefs, type SymbolRoots, symbolFiles } from '../symbols/symbol-files.js';
import {
  type EncodedRecording,
  findBinaries,
  findTracedKernel,
  lacksKernel,
  unsupported,
} from './decode/encoded-recording.js';
import { prepareRecording } from './decode/prepare-recording.js';
import type { SampledRecording } from './read/recording-source.js';

export interface OpenRecordedOptions {
  /** For messages. Default: its path. */
  readonly name?: string;
  /** Its path as it is shown: a pack's own. Default: its path. */
  readonly shownPath?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A recording that was read, apart from its trace. */
export interface RecordedFiles {
  /** For messages. */
  readonly name: string;
  readonly path: string;
  readonly recording: Recording;
  readonly sides: readonly SideRecording[];
  readonly recorded: RecordingEnvironment;
}

/** @throws PtflameError RECORDING_DAMAGED, OTHER_CLOCK, and as `openRecording` */
export async function openRecorded(path: string, options: OpenRecordedOptions = {}): Promise<RecordedFiles> {
  const { name = path, shownPath = path, signal } = options;
  const recording = await openRecording(path, { name, ...(signal && { signal }) });
  if (recording.damage.length > 0) throw damagedRecording(name, recording.damage);
  const sides = await openSides({ name, path, shownPath, recording }, undefined, signal);
  return { name, path: dataFilePath(path), recording, sides, recorded: recordingEnvironment(recording, path) };
}

/** An input that is decoded here, and what of it is not. */
export interface DecodableInput {
  readonly input: (EncodedRecording | SampledRecording) & { readonly sizeBytes?: number | null };
  /** What of it is lost time, in words. */
  readonly notes: readonly string[];
}

/**
 * Prepares a recording for the own decoder. `files`: where its binaries are; null: on this machine. `spans`: see `OpenSourcesOptions`.
 *
 * @throws PtflameError NO_BRANCHES without trace and samples, NOT_OFFERED if perf alone decodes it
 */
export function decodable(
  read: RecordedFiles,
  files: SymbolFileRefs,
  roots: SymbolRoots,
  spans: readonly string[] = [],
): DecodableInput {
  const { name, path, recording, sides, recorded } = read;
  if (recording.trace === null) return { input: sampled(read, spans), notes: [] };
  const { narrow } = findBinaries(recording, symbolFiles(files), roots);
  const reason =
    unsupported(recording) ??
    lacksKernel(recording, findTracedKernel(recording, path, symbolFiles(files), roots)) ??
    (narrow.length > 0 ? { what: '32-bit code', hasRest: true } : null);
  if (reason !== null && !reason.hasRest)
    throw new PtflameError('NOT_OFFERED', `${name} has ${reason.what}, which only perf decodes`, {
      hint: 'the command line runs perf, if it is installed',
    });
  const input = prepareRecording(recording, { name, path, files, roots, jumps: 'leaving', recorded, broken: null });
  return {
    input: { ...input, sides },
    notes: reason === null ? [] : [`${reason.what} is lost time: only perf decodes it`],
  };
}

function sampled({ name, recording, sides, recorded }: RecordedFiles, spans: readonly string[]): SampledRecording {
  if (recording.samples.tables.length === 0) throw noTrace(name);
  return { name, sampled: recording, sides, recorded, broken: null, spans };
}

/** A recording of neither Intel PT nor events. */
export function noTrace(name: string): PtflameError {
  return new PtflameError('NO_BRANCHES', `${name} is a recording without an Intel PT trace`, {
    hint: 'record with ptflame record, or perf record -e intel_pt//u; ptflame info FILE shows what it contains',
  });
}

/** perf decodes nothing of such a file, or crashes. */
export function damagedRecording(name: string, damage: readonly string[]): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `${name} is damaged: ${damage[0]}`, {
    hint: 'copy it again from where it was recorded, or use --salvage to decode the intact part; ptflame info FILE shows more',
    output: damage.slice(1),
  });
}
