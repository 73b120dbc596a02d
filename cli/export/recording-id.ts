/**
 * The files of a recording and the part that is selected → its id, which is the same wherever and however often it is exported.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { PtflameError, unreadableInput } from '../../src/model/errors.js';
import { dataFilePath, wakingsPath } from '../input/data-file.js';
import type { ExportOptions } from '../options/export.js';
import { statOrNull } from '../output/file-identity.js';

/** Options that select a part: each part is a recording of its own, as windows of one trace add up. */
const PARTS = ['window', 'tid', 'pid', 'comm', 'cpu', 'root', 'inside'] as const satisfies (keyof ExportOptions)[];

/**
 * Returns 64 hex digits: of one file of which all is selected, its SHA-256.
 *
 * @throws PtflameError INPUT_KIND for a stream, INPUT_UNREADABLE
 */
export async function recordingId(path: string, options: ExportOptions, signal: AbortSignal): Promise<string> {
  const hashes: string[] = [];
  for (const file of filesOf(path, options)) hashes.push(await fileHash(file, signal));
  const parts = PARTS.filter((key) => options[key] !== undefined).map((key) => [key, options[key]]);
  if (hashes.length === 1 && parts.length === 0) return hashes[0];
  return createHash('sha256')
    .update(JSON.stringify([hashes, parts], patternText))
    .digest('hex');
}

function patternText(_key: string, value: unknown): unknown {
  return value instanceof RegExp ? String(value) : value;
}

/** Returns the recording, then that of wakings next to it. */
function filesOf(path: string, { wakes }: ExportOptions): string[] {
  const stats = path === '-' ? null : statOrNull(path);
  if (path === '-' || stats?.isFIFO())
    throw new PtflameError('INPUT_KIND', `${path === '-' ? 'standard input' : path} is a stream, not a file`, {
      hint: 'export names tables by the hash of the file: write the stream to a file first',
    });
  if (stats === null) return [path];
  const side = wakes ?? wakingsPath(path);
  const data = dataFilePath(path);
  if (stats.isDirectory() && statOrNull(data) === null)
    throw new PtflameError('INPUT_UNREADABLE', `${path} is a directory`, { hint: 'pass the files in it' });
  return [data, ...(statOrNull(side)?.isFile() ? [side] : [])];
}

async function fileHash(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path, { highWaterMark: 2 ** 20, signal })) hash.update(part);
  } catch (error) {
    signal.throwIfAborted();
    throw unreadableInput(path, error);
  }
  return hash.digest('hex');
}
