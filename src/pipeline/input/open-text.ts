/**
 * A file or a stream in, its text out, decompressed. What it is, is told by its first bytes, never by its name.
 */
import { closeSync, createReadStream, fstatSync, readSync } from 'node:fs';
import { PtflameError } from '../../model/errors.js';
import { gunzipped } from './gunzip.js';
import { GZIP, kindOf, LONGEST_MAGIC_BYTES, wrongKind } from './other-kinds.js';
import { peek } from './peek.js';
import { openFile, READ_BYTES, TextFile } from './text-file.js';
import type { TraceInput } from './trace-input.js';

export interface OpenedInput extends TraceInput {
  /** Of the file itself; null for a stream. */
  readonly sizeBytes: number | null;
}

/**
 * A file of trace text or a profile, compressed or not. It is opened when it is read, so that there may be more inputs than a
 * process may have open. A piece of its bytes is good until the next one is asked for.
 *
 * @throws PtflameError INPUT_UNREADABLE at once; INPUT_KIND while it is read, for what is no text.
 */
export async function openTraceFile(path: string): Promise<OpenedInput> {
  const fd = openFile(path);
  const stats = fstatSync(fd);
  if (!stats.isFile() && !stats.isDirectory())
    return traceStream(path, createReadStream(path, { fd, highWaterMark: READ_BYTES }));
  const first = firstBytes(fd);
  closeSync(fd);
  if (stats.isDirectory())
    throw new PtflameError('INPUT_UNREADABLE', `${path} is a directory`, { hint: 'name the files in it' });
  const bytes = new TextFile(path, stats);
  const isText = kindOf(first) === null;
  return { ...traceStream(path, bytes), sizeBytes: stats.size, file: isText ? bytes : null };
}

/** As many as tell its kind; none if they cannot be read: then nothing can. */
function firstBytes(fd: number): Uint8Array {
  try {
    const first = new Uint8Array(LONGEST_MAGIC_BYTES);
    return first.subarray(0, readSync(fd, first, 0, first.length, 0));
  } catch {
    return new Uint8Array();
  }
}

/** A stream of trace text or a profile, compressed or not; `name` is for messages. */
export function traceStream(name: string, bytes: AsyncIterable<Uint8Array>): OpenedInput {
  return { name, bytes: decompressed(name, bytes), sizeBytes: null };
}

/** Who compresses a file twice does it by mistake; who does it more often, to keep others busy. */
const MOST_LAYERS = 2;

async function* decompressed(name: string, bytes: AsyncIterable<Uint8Array>, layers = 0): AsyncGenerator<Uint8Array> {
  const { first, all } = await peek(bytes, (first) => first.length >= LONGEST_MAGIC_BYTES);
  const kind = kindOf(first);
  if (kind?.kind === GZIP && layers === MOST_LAYERS) throw tooManyLayers(name);
  if (kind?.kind === GZIP) yield* decompressed(name, gunzipped(all), layers + 1);
  else if (kind) throw wrongKind(name, kind);
  else yield* all;
}

function tooManyLayers(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is compressed by gzip more than ${MOST_LAYERS} times over`, {
    hint: 'unpack it first: gzip -dc FILE > UNPACKED, until it is text',
  });
}
