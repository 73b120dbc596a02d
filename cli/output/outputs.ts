/**
 * Where results go: a file appears whole or not at all; devices, pipes and standard output are written as it comes.
 */
import { accessSync, constants, createWriteStream, openSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { PtflameError } from '../../src/index.js';
import { realTarget, statOrNull } from './file-identity.js';
import { newFileMode } from './new-file-mode.js';
import { createTemporaryFile, type TemporaryFile, type TemporaryFileOptions } from './temporary-files.js';
import { isBrokenPipe, type Pieces, unwritable, whyUnwritable, writePieces } from './write-chunks.js';

export interface Output {
  /** Writes everything. */
  write(pieces: Pieces): Promise<void>;
  /** Makes it visible, where it is not yet. */
  publish(): Promise<void>;
}

/** Not to be opened anew: behind ">>" that would write over what is there, and a socket cannot be opened at all. */
const STANDARD_OUTPUT = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

export function isStandardOutput(path: string): boolean {
  return STANDARD_OUTPUT.has(path);
}

/** Whether what is written there is shown to somebody as it comes. */
export function isTerminal(path: string): boolean {
  return STANDARD_OUTPUT.has(path) && process.stdout.isTTY;
}

/** Opens an output before the work begins, so that a place that cannot be written is found at once. `madeOf`: what is read. */
export async function openOutput(path: string, madeOf: readonly string[] = []): Promise<Output> {
  if (STANDARD_OUTPUT.has(path)) return standardOutput();
  try {
    const stats = await statOrNull(path);
    if (stats?.isDirectory() || path.endsWith('/')) throw unwritable(path, 'it is a directory');
    if (stats && !stats.isFile()) return directOutput(path, stats);
    if (stats) refuseReadOnly(path, stats);
    return fileOutput(path, await realTarget(path), { replaced: stats, mode: newFileMode(madeOf) });
  } catch (error) {
    throw error instanceof PtflameError ? error : unwritable(path, whyUnwritable(error), error);
  }
}

/** What is to be written where. */
export interface Result {
  readonly output: Output;
  readonly pieces: () => Pieces;
}

/**
 * Writes all, and only then makes files visible: if one output fails, none of them stands.
 *
 * @throws EPIPE when everything else is done, if the reader of one went away
 */
export async function writeAll(results: readonly Result[]): Promise<void> {
  const readersGone: unknown[] = [];
  for (const { output, pieces } of results) {
    try {
      await output.write(pieces());
    } catch (error) {
      if (!isBrokenPipe(error)) throw error;
      readersGone.push(error);
    }
  }
  for (const { output } of results) await output.publish();
  if (readersGone.length > 0) throw readersGone[0];
}

function standardOutput(): Output {
  return {
    async write(pieces) {
      await writePieces(pieces, process.stdout, 'standard output', { end: false });
      await flushed();
    },
    async publish() {},
  };
}

/** Until a slow reader has taken all: an interrupt must find us still at work. */
function flushed(): Promise<void> {
  return new Promise((done, failed) => process.stdout.write('', (error) => (error ? failed(error) : done())));
}

function directOutput(path: string, stats: Stats): Output {
  return {
    async write(pieces) {
      const to = stats.isFIFO() ? await openPipe(path) : createWriteStream(path);
      await writePieces(pieces, to, path, { end: true });
    },
    async publish() {},
  };
}

const READER_POLL_MS = 50;

/** A plain open would wait for the reader where no signal can end the waiting, not even by process.exit(). */
async function openPipe(path: string): Promise<Socket> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw unwritable(path, whyUnwritable(error), error);
      await setTimeout(READER_POLL_MS); // nobody reads yet
    }
  }
}

const SOMEBODY_MAY_WRITE = 0o222;

/** Also for root, who may write anything: whoever made it read-only wants to keep it. */
function refuseReadOnly(path: string, { mode }: Stats): void {
  if ((mode & SOMEBODY_MAY_WRITE) === 0) throw unwritable(path, 'it is read-only');
  accessSync(path, constants.W_OK);
}

function fileOutput(path: string, target: string, options: TemporaryFileOptions): Output {
  const temporary = temporaryFor(path, target, options);
  return {
    write: (pieces) =>
      writePieces(pieces, createWriteStream(temporary.path, { fd: temporary.fd, flush: true }), path, { end: true }),
    async publish() {
      await temporary.rename().catch((error) => {
        throw unwritable(path, whyUnwritable(error), error);
      });
    },
  };
}

function temporaryFor(path: string, target: string, options: TemporaryFileOptions): TemporaryFile {
  try {
    return createTemporaryFile(target, options);
  } catch (error) {
    const isOwner = (error as NodeJS.ErrnoException).syscall === 'fchown';
    throw isOwner ? unwritable(path, 'it belongs to another user or group, and would not stay theirs', error) : error;
  }
}
