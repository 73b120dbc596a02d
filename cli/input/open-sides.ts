/**
 * Opens what was recorded next to a recording: wakings of the whole machine.
 */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { openSideRecording } from '../../src/perfdata/open-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import type { SideRecording } from '../../src/perfdata/side-recording.js';

/** A recording and its file; the name is for messages. */
interface MainRecording {
  readonly name: string;
  readonly path: string;
  /** Its path as it is shown: a pack's own, not that of its temporary copy. Default: its path. */
  readonly shownPath?: string;
  readonly recording: Recording;
}

/**
 * `wakes`: a file that the user named. One that is missing under its usual name matters only if other events were recorded.
 *
 * @throws PtflameError as `openSideRecording` does
 */
export async function openSides(
  main: MainRecording,
  wakes: string | undefined,
  signal: AbortSignal,
): Promise<SideRecording[]> {
  const { path, shownPath = path } = main;
  const name = wakes ?? wakingsPath(shownPath);
  const side = await openSideRecording(main, wakes ?? wakingsPath(path), { name, signal });
  if (side.recording === null && wakes !== undefined) throw noWakings(wakes);
  return side.recording !== null || recordsEvents(main.recording) ? [side] : [];
}

/** Whether tracepoints or probes were recorded, even if nothing happened at them. */
export function recordsEvents({ samples }: Recording): boolean {
  return samples.tables.length > 0 || samples.unreadable > 0;
}

function noWakings(path: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `cannot open ${path}: no such file`, {
    hint: '--wakes needs the recording of wakings that ptflame record --waits made; its usual name is FILE.wakes.data',
  });
}

/**
 * Finds the file of a recording and reads its first bytes, which identify its kind.
 *
 * Returns the path of a recording's notes.
 */
export function notesPath(recording: string): string {
  return `${recording}.ptflame.json`;
}

/** Returns the path of the recording of wakings next to a recording. */
export function wakingsPath(recording: string): string {
  return `${recording.replace(/\/+$/, '')}.wakes.data`;
}

/** Returns the recording whose wakings are in a file of that name; null: it has another name. */
export function mainOfWakings(path: string): string | null {
  return /^(.+)\.wakes\.data$/.exec(path)?.[1] ?? null;
}

/** Returns the path of the formats of a recording's tracepoints and probes. */
export function formatsPath(recording: string): string {
  return `${recording.replace(/\/+$/, '')}.formats`;
}

const HEAD_BYTES = 4096;

/** Returns the file inside a directory that `perf record --kcore` made; other paths stay as they are. */
export function dataFilePath(path: string): string {
  return statSync(path).isDirectory() ? join(path, 'data') : path;
}

/** Returns no bytes for anything but a readable file. */
export function firstBytes(path: string): Uint8Array {
  try {
    const data = dataFilePath(path);
    if (!statSync(data).isFile()) return new Uint8Array(); // opening a pipe waits for its writer, closing it kills the writer
    const fd = openSync(data, 'r');
    try {
      const bytes = new Uint8Array(HEAD_BYTES);
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return new Uint8Array();
  }
}
