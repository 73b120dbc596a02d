/**
 * Opens a recording by its path, and what was made next to it. In a browser, paths name what was dropped.
 */
import { utf8Text } from '../codec/bytes.js';
import { kindOfPath, openIfFile, openPath } from '../host/files.js';
import { nextTurn } from '../host/turns.js';
import { PtflameError, unreadableInput } from '../model/errors.js';
import { type OwnFile, readFully } from '../model/open-file.js';
import type { RecordingEnvironment } from '../model/profile/profile.js';
import { formatsPath, notesPath, wakingsPath } from './beside.js';
import { readFormatNotes } from './event-format.js';
import { notARecording } from './header.js';
import { KernelNotes } from './kernel-notes.js';
import { mappedFiles } from './mapped-files.js';
import { type ReadRecordingOptions, readRecording } from './read-recording.js';
import type { Recording } from './recording.js';
import { type SideRecording, sideOf } from './side-recording.js';

export interface OpenRecordingOptions extends Omit<ReadRecordingOptions, 'kernel'> {
  /** The recording that its events were noted with, next to it. Default: its path. */
  readonly notesOf?: string;
  /** Name for messages. Default: its path. */
  readonly name?: string;
}

/**
 * Reads a perf.data file, or the one in the directory that `perf record --kcore` writes.
 *
 * @throws PtflameError INPUT_UNREADABLE, and what `readRecording` throws
 */
export async function openRecording(path: string, options: OpenRecordingOptions = {}): Promise<Recording> {
  const { name: called = path } = options;
  const isDirectory = orUnreadable(called, () => kindOfPath(path)) === 'directory';
  const [data, name] = isDirectory ? [path, called].map((each) => `${each.replace(/\/+$/, '')}/data`) : [path, called];
  if (isDirectory && isMissing(data)) throw notARecording(`the directory ${called}`);
  const isFile = orUnreadable(name, () => kindOfPath(data)) === 'file';
  if (!isFile) throw notARecording(name); // checked first: opening a pipe would block
  const file = orUnreadable(name, () => openPath(data));
  try {
    const notes = textAt(formatsPath(options.notesOf ?? path), MAX_FORMATS_BYTES) ?? '';
    const formats = options.formats ?? readFormatNotes(notes);
    const read = { ...options, formats, kernel: new KernelNotes(notes) };
    return await readRecording(asRecordingFile(name, file), read);
  } finally {
    file.close();
  }
}

function asRecordingFile(name: string, file: OwnFile) {
  const read = async (into: Uint8Array, at: number) => {
    await nextTurn(); // lets signals arrive
    return orUnreadable(name, () => file.read(into, at));
  };
  return { name, sizeBytes: file.sizeBytes, read };
}

/** Far above the formats of all events of a kernel. */
const MAX_FORMATS_BYTES = 32 * 1024 * 1024;
/** Far more than any command line needs. */
const MAX_NOTES_BYTES = 4 * 1024 * 1024;

/** Returns the text of a file; null: it cannot be read, or is longer than `maxBytes`. */
export function textAt(path: string, maxBytes: number): string | null {
  const file = openIfFile(path);
  if (file === null) return null;
  try {
    const { sizeBytes } = file;
    if (sizeBytes > maxBytes) return null;
    const bytes = new Uint8Array(sizeBytes);
    return utf8Text(bytes.subarray(0, readFully(file, bytes, 0)));
  } catch {
    return null;
  } finally {
    file.close();
  }
}

/** Returns the text of the notes next to a recording; null: there are none. */
export function notesOf(recording: string): string | null {
  return textAt(notesPath(recording), MAX_NOTES_BYTES);
}

/** Returns where, when and how a recording was made. `path`: its notes, which say when, are next to it. */
export function recordingEnvironment(recording: Recording, path: string): RecordingEnvironment {
  const { machine, command, trace } = recording;
  const { hostName: host, kernel, cpu, perfVersion: perf } = machine;
  const unidentified = trace === null ? [] : mappedFiles(recording).filter(({ buildId }) => buildId === null);
  return {
    ...{ host, kernel, cpu, perf, command, startedAt: startOf(notesOf(path)) },
    ...(unidentified.length > 0 && { withoutBuildId: unidentified.map((file) => file.path) }),
  };
}

function startOf(notes: string | null): string | null {
  try {
    const { format, startedAt } = JSON.parse(notes ?? '') as { format?: unknown; startedAt?: unknown };
    return format === 'ptflame-recording' && typeof startedAt === 'string' ? startedAt : null;
  } catch {
    return null;
  }
}

function isMissing(path: string): boolean {
  try {
    kindOfPath(path);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ENOENT';
  }
}

function orUnreadable<Value>(path: string, value: () => Value): Value {
  try {
    return value();
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
}

/** A recording and its file; the name is for messages. */
export interface MainRecording {
  readonly name: string;
  readonly path: string;
  /** Its path as it is shown: a pack's own, not that of its temporary copy. Default: its path. */
  readonly shownPath?: string;
  readonly recording: Recording;
}

/**
 * Opens what was recorded next to a recording: wakings of the whole machine. `wakes`: a file that the user named. One that is
 * missing under its usual name matters only if other events were recorded.
 *
 * @throws PtflameError as `openSideRecording` does
 */
export async function openSides(main: MainRecording, wakes?: string, signal?: AbortSignal): Promise<SideRecording[]> {
  const { path, shownPath = path } = main;
  const options = { name: wakes ?? wakingsPath(shownPath), ...(signal && { signal }) };
  const side = await openSideRecording(main, wakes ?? wakingsPath(path), options);
  if (side.recording === null && wakes !== undefined) throw noWakings(wakes);
  return side.recording !== null || recordsEvents(main.recording) ? [side] : [];
}

/** Whether tracepoints or probes were recorded, even if nothing happened at them. */
export function recordsEvents({ samples }: Recording): boolean {
  return samples.tables.length > 0 || samples.unreadable > 0;
}

function noWakings(wakes: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `cannot open ${wakes}: no such file`, {
    hint: '--wakes needs the recording of wakings that ptflame record --waits made; its usual name is FILE.wakes.data',
  });
}

/**
 * Opens a side recording of `main`, whose name is for messages.
 *
 * @throws PtflameError OTHER_CLOCK if its times cannot be compared to those of `main`; and what `openRecording` throws,
 *   except for a file that is missing
 */
export async function openSideRecording(
  main: { readonly name: string; readonly recording: Recording },
  path: string,
  options: OpenRecordingOptions = {},
): Promise<SideRecording> {
  const { name = path } = options;
  const recording = await openRecording(path, options).catch((error: unknown) => orMissing(error));
  return sideOf(main, name, recording);
}

function orMissing(error: unknown): null {
  const cause = error instanceof PtflameError ? (error.cause as { code?: string } | undefined) : undefined;
  if (cause?.code === 'ENOENT') return null;
  throw error;
}

/** Enough to recognize a pack. */
const HEAD_BYTES = 4096;

/** Returns the file inside a directory that `perf record --kcore` made; other paths stay as they are. */
export function dataFilePath(path: string): string {
  return kindOfPath(path) === 'directory' ? `${path.replace(/\/+$/, '')}/data` : path;
}

/** Returns the first bytes of a file, which say what it is; none of anything but a readable file. */
export function firstBytes(path: string): Uint8Array {
  try {
    // opening a pipe, then closing it, would end its writer
    const data = dataFilePath(path);
    const file = kindOfPath(data) === 'file' ? openIfFile(data) : null;
    if (file === null) return new Uint8Array();
    try {
      const bytes = new Uint8Array(HEAD_BYTES);
      return bytes.subarray(0, file.read(bytes, 0));
    } finally {
      file.close();
    }
  } catch {
    return new Uint8Array();
  }
}
