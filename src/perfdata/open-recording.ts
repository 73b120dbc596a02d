/**
 * A path in, its recording out.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PtflameError } from '../model/errors.js';
import { type ReadRecordingOptions, readRecording } from './read-recording.js';
import type { Recording } from './recording.js';
import { notARecording } from './refusals.js';

/**
 * Reads a perf.data file, or the directory that `perf record --kcore` makes.
 *
 * @throws PtflameError INPUT_UNREADABLE, and what `readRecording` throws
 */
export async function openRecording(path: string, options: ReadRecordingOptions = {}): Promise<Recording> {
  const file = await openFile(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw notARecording(path);
    const read = async (into: Uint8Array, at: number) => (await file.read(into, 0, into.length, at)).bytesRead;
    return await readRecording({ name: path, sizeBytes: stats.size, read }, options);
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const isDirectory = (await stat(path)).isDirectory();
    return await open(isDirectory ? join(path, 'data') : path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): PtflameError {
  const code = (cause as NodeJS.ErrnoException).code;
  const why = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'it may not be read' : String(cause);
  const hint = code === 'EACCES' ? 'perf writes files for root alone: sudo chown $USER FILE' : 'check the path';
  return new PtflameError('INPUT_UNREADABLE', `cannot open ${path}: ${why}`, { hint, cause });
}
