/**
 * Opens a recording by its path, and those that were made next to it.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { PtflameError, unreadableInput } from '../model/errors.js';
import { readFormatNotes } from './event-format.js';
import { notARecording } from './header.js';
import { KernelNotes } from './kernel-notes.js';
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
  const isDirectory = (await orUnreadable(called, stat(path))).isDirectory();
  const [data, name] = isDirectory ? [path, called].map((each) => `${each.replace(/\/+$/, '')}/data`) : [path, called];
  if (isDirectory && (await isMissing(data))) throw notARecording(`the directory ${called}`);
  const stats = await orUnreadable(name, stat(data));
  if (!stats.isFile()) throw notARecording(name); // checked first: opening a pipe would block
  const file = await orUnreadable(name, open(data));
  try {
    const notes = await eventNotes(options.notesOf ?? path);
    const formats = options.formats ?? readFormatNotes(notes);
    const read = { ...options, formats, kernel: new KernelNotes(notes) };
    return await readRecording(asRecordingFile(name, file, stats), read);
  } finally {
    await file.close();
  }
}

/** Far above the formats of all events of a kernel. */
const MAX_NOTES_BYTES = 32 * 1024 * 1024;

/** Reads what was noted of events when a recording began, next to it: also of those of its side recording; or nothing. */
async function eventNotes(recording: string): Promise<string> {
  const path = `${recording.replace(/\/+$/, '').replace(/\.wakes\.data$/, '')}.formats`;
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile() || stats.size > MAX_NOTES_BYTES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

function asRecordingFile(name: string, file: FileHandle, { size }: Stats) {
  const read = async (into: Uint8Array, at: number) =>
    (await orUnreadable(name, file.read(into, 0, into.length, at))).bytesRead;
  return { name, sizeBytes: size, read };
}

function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );
}

async function orUnreadable<Value>(path: string, value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
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
