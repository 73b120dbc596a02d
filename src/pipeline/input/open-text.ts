/**
 * Opens a file or stream as text, decompressing it. The first bytes decide what it is, never the name.
 */
import { closeSync, createReadStream, fstatSync, readSync } from 'node:fs';
import { PtflameError } from '../../model/errors.js';
import { gunzipped } from './gunzip.js';
import { GZIP, kindOf, MAX_MAGIC_BYTES, wrongKind } from './other-kinds.js';
import { peek } from './peek.js';
import { openFile, READ_BYTES, TextFile } from './text-file.js';
import type { TraceInput } from './trace-input.js';

export interface OpenedInput extends TraceInput {
  /** Size of the file, compressed or not; null for a stream. */
  readonly sizeBytes: number | null;
}

/**
 * Opens a file of trace text or a profile, compressed or not. It is reopened when it is read, so that there may be more inputs
 * than a process may have open files. A piece of its bytes is valid only until the next one is read.
 *
 * @throws PtflameError INPUT_UNREADABLE at once; INPUT_KIND while it is read, if it is not text
 */
export async function openTraceFile(path: string): Promise<OpenedInput> {
  const fd = openFile(path);
  const stats = fstatSync(fd);
  if (!stats.isFile() && !stats.isDirectory())
    return traceStream(path, createReadStream(path, { fd, highWaterMark: READ_BYTES }));
  const first = firstBytes(fd);
  closeSync(fd);
  if (stats.isDirectory())
    throw new PtflameError('INPUT_UNREADABLE', `${path} is a directory`, { hint: 'pass the files in it' });
  const bytes = new TextFile(path, stats);
  const isText = kindOf(first) === null;
  return { ...traceStream(path, bytes), sizeBytes: stats.size, file: isText ? bytes : null };
}

/** Returns enough bytes to detect the kind; none if the file cannot be read. */
function firstBytes(fd: number): Uint8Array {
  try {
    const first = new Uint8Array(MAX_MAGIC_BYTES);
    return first.subarray(0, readSync(fd, first, 0, first.length, 0));
  } catch {
    return new Uint8Array();
  }
}

/** Wraps a stream of trace text or a profile, compressed or not; `name` is for messages. */
export function traceStream(name: string, bytes: AsyncIterable<Uint8Array>): OpenedInput {
  return { name, bytes: decompressed(name, bytes), sizeBytes: null };
}

/** A file may be compressed twice by mistake; more layers are an attack. */
const MAX_LAYERS = 2;

async function* decompressed(name: string, bytes: AsyncIterable<Uint8Array>, layers = 0): AsyncGenerator<Uint8Array> {
  const { first, all } = await peek(bytes, (first) => first.length >= MAX_MAGIC_BYTES);
  const kind = kindOf(first);
  if (kind?.kind === GZIP && layers === MAX_LAYERS) throw tooManyLayers(name);
  if (kind?.kind === GZIP) yield* decompressed(name, gunzipped(all), layers + 1);
  else if (kind) throw wrongKind(name, kind);
  else yield* all;
}

function tooManyLayers(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is compressed with gzip more than ${MAX_LAYERS} times`, {
    hint: 'decompress it first, until it is text: gzip -dc FILE > UNPACKED',
  });
}
