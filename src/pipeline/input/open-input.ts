/**
 * A file or a stream in, its text out, decompressed. What it is, is told by its first bytes, never by its name.
 */
import { closeSync, createReadStream, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { PtflameError, unreadableInput } from '../../model/errors.js';
import { MAGIC } from '../../trace-file/format.js';
import { peek } from './peek.js';
import type { PlainFile, TraceInput } from './trace-input.js';

const READ_BYTES = 512 * 1024;
const LONGEST_MAGIC_BYTES = 8;

export interface OpenedInput extends TraceInput {
  /** Of the file itself; null for a stream. */
  readonly sizeBytes: number | null;
}

/** What is no text, told by its first bytes, and what to do with it. */
interface OtherKind {
  readonly kind: string;
  readonly magic: readonly number[];
  readonly unpack?: string;
  /** Where it is a file of its own it is an input. */
  readonly asFile?: string;
}

const GZIP = 'compressed by gzip';

/**
 * A file of trace text or a profile, compressed or not. It is opened when it is read, so that there may be more inputs than a
 * process may have open. A piece of its bytes is good until the next one is asked for.
 *
 * @throws PtflameError INPUT_UNREADABLE at once; INPUT_KIND while it is read, for what is no text.
 */
export async function openTraceFile(path: string): Promise<OpenedInput> {
  const fd = opened(path);
  const stats = fstatSync(fd);
  if (!stats.isFile() && !stats.isDirectory())
    return traceStream(path, createReadStream(path, { fd, highWaterMark: READ_BYTES }));
  const first = firstBytes(fd);
  closeSync(fd);
  if (stats.isDirectory())
    throw new PtflameError('INPUT_UNREADABLE', `${path} is a directory`, { hint: 'name the files in it' });
  const bytes = new FileBytes(path, stats);
  const isText = kindOf(first) === null;
  return { ...traceStream(path, bytes), sizeBytes: stats.size, file: isText ? bytes : null };
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
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

const NOT_OPEN = -1;

/**
 * The bytes of a file, in pieces. They are read right here: another thread would leave them in the cache of another
 * processor, which costs more than the waiting. A piece is good until the next one is asked for.
 */
class FileBytes implements PlainFile, AsyncIterable<Uint8Array> {
  /** Only while pieces are read. */
  fd = NOT_OPEN;
  readonly sizeBytes: number;
  private readonly path: string;
  private readonly looked: Stats;
  /** Where the next piece begins. */
  private at = 0;

  /** `looked`: what the file was when its kind was told. */
  constructor(path: string, looked: Stats) {
    this.path = path;
    this.looked = looked;
    this.sizeBytes = looked.size;
  }

  skipTo(at: number): void {
    this.at = at;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.fd = opened(this.path);
    try {
      this.refuseOther();
      const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
      for (let piece = this.read(buffer); piece.length > 0; piece = this.read(buffer)) {
        this.at += piece.length;
        await setImmediate(); // lets others have their turn: a signal, threads that woke
        yield piece;
      }
    } finally {
      closeSync(this.fd);
      this.fd = NOT_OPEN;
    }
  }

  /** Whoever replaced it meanwhile may have put anything there, also what a read would wait for. */
  private refuseOther(): void {
    const { dev, ino } = fstatSync(this.fd);
    if (dev === this.looked.dev && ino === this.looked.ino) return;
    throw new PtflameError('INPUT_UNREADABLE', `${this.path} was replaced by another file while inputs were read`, {
      hint: 'run it again when nobody writes there',
    });
  }

  private read(buffer: Uint8Array): Uint8Array {
    return buffer.subarray(0, readSync(this.fd, buffer, 0, buffer.length, this.at));
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

/** Gives everything that stands before the damage, where there is some. */
async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: READ_BYTES });
  const text: Uint8Array[] = [];
  gunzip.on('data', (piece: Uint8Array) => text.push(piece));
  let settle: (error: Error) => void = () => {};
  gunzip.on('error', (error) => settle(error)); // the callback of the write that failed is never called
  const step = (begin: (done: () => void) => void) =>
    new Promise<Error | null>((done) => {
      settle = done;
      begin(() => done(null));
    });
  for await (const piece of inSmallPieces(bytes)) {
    const error = await step((done) => gunzip.write(piece, done));
    yield* text.splice(0);
    if (error) throw error;
  }
  const error = await step((done) => gunzip.once('end', done).end());
  yield* text.splice(0);
  if (error) throw error;
}

/** The sizes of pieces, by what came before: the same however the bytes arrive. */
function smallPiece(total: number): number {
  return Math.floor(Math.min(Math.max(64, total / 64), 8192));
}

/** zlib gives nothing of a piece in which it finds an error: the smaller the pieces, the less is lost before it. */
async function* inSmallPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0;
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk]); // a copy: the piece is good until the next one only
    for (let size = smallPiece(total); rest.length >= size; size = smallPiece(total)) {
      yield rest.subarray(0, size);
      rest = rest.subarray(size);
      total += size;
    }
  }
  if (rest.length > 0) yield rest;
}

function kindOf(first: Uint8Array): OtherKind | null {
  return OTHER_KINDS.find(({ magic }) => magic.every((byte, at) => first[at] === byte)) ?? null;
}

function tooManyLayers(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is compressed by gzip more than ${MOST_LAYERS} times over`, {
    hint: 'unpack it first: gzip -dc FILE > UNPACKED, until it is text',
  });
}

function wrongKind(name: string, { kind, unpack, asFile }: OtherKind): PtflameError {
  if (asFile === undefined)
    return new PtflameError('INPUT_KIND', `${name} is ${kind}, not text`, { hint: `unpack it first: ${unpack}` });
  return new PtflameError('INPUT_KIND', `${name} is ${kind} only where it is a file of its own`, {
    hint: `name that file, not compressed: ptflame render ${asFile}`,
  });
}

const RECORDING = { kind: 'a recording (perf.data), which perf decodes', asFile: 'perf.data' };
const IMPORTED = { kind: 'an imported trace, which is read', asFile: 'trace.ptf' };
const OTHER_KINDS: readonly OtherKind[] = [
  { kind: GZIP, magic: [0x1f, 0x8b] },
  { ...IMPORTED, magic: [...MAGIC] },
  { ...RECORDING, magic: [0x50, 0x45, 0x52, 0x46, 0x49, 0x4c, 0x45, 0x32] }, // PERFILE2
  { ...RECORDING, magic: [0x32, 0x45, 0x4c, 0x49, 0x46, 0x52, 0x45, 0x50] }, // the same of a big-endian machine
  { kind: 'compressed by zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], unpack: 'zstd -dc FILE | ptflame render -' },
  { kind: 'compressed by xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], unpack: 'xz -dc FILE | ptflame render -' },
  { kind: 'compressed by bzip2', magic: [0x42, 0x5a, 0x68], unpack: 'bzip2 -dc FILE | ptflame render -' },
  { kind: 'a zip archive', magic: [0x50, 0x4b, 0x03, 0x04], unpack: 'unzip -p FILE | ptflame render -' },
];
