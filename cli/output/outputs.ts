/**
 * Opens outputs: files appear complete or not at all; devices, pipes and standard output are written directly.
 */

import { accessSync, constants, createWriteStream, openSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { interruptible } from '../../src/host/turns.js';
import { PtflameError } from '../../src/model/errors.js';
import { exampleName, type Format, isBinary } from './formats.js';
import { newFileMode } from './new-file-mode.js';
import { realTarget, statOrNull } from './refuse-overwriting.js';
import { createTemporaryFile, type TemporaryFile, type TemporaryFileOptions } from './temporary-files.js';
import {
  type Chunks,
  isBrokenPipe,
  isTerminal,
  STANDARD_OUTPUT,
  STANDARD_OUTPUT_NAME,
  unwritable,
  whyUnwritable,
  writeChunks,
} from './write-chunks.js';

export interface Output {
  /** Writes everything. */
  write(chunks: Chunks): Promise<void>;
  /** Moves a file to its final name; does nothing for other outputs. */
  publish(): Promise<void>;
}

/** Opens an output before the work begins, so that an unwritable path is reported at once. `inputs`: paths that are read. */
export async function openOutput(path: string, inputs: readonly string[] = []): Promise<Output> {
  if (STANDARD_OUTPUT.has(path)) return standardOutput();
  try {
    const stats = statOrNull(path);
    if (stats?.isDirectory() || path.endsWith('/')) throw unwritable(path, 'it is a directory');
    if (stats && !stats.isFile()) return directOutput(path, stats);
    if (stats) refuseReadOnly(path, stats);
    return fileOutput(path, realTarget(path), { replaced: stats, mode: newFileMode(inputs) });
  } catch (error) {
    throw error instanceof PtflameError ? error : unwritable(path, whyUnwritable(error), error);
  }
}

export interface Result {
  readonly output: Output;
  readonly chunks: () => Chunks;
}

/**
 * Writes all outputs, then moves files to their final names: if one fails, no file appears.
 *
 * @throws EPIPE if a reader has closed its pipe, after all other outputs are done
 */
export async function writeAll(results: readonly Result[]): Promise<void> {
  const readersGone: unknown[] = [];
  for (const { output, chunks } of results) {
    try {
      await output.write(await interruptible(chunks));
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
    async write(chunks) {
      await writeChunks(chunks, process.stdout, STANDARD_OUTPUT_NAME, { end: false });
      await flushed();
    },
    async publish() {},
  };
}

/** Waits until a slow reader has read everything, so that an interrupt still counts as one. */
function flushed(): Promise<void> {
  return new Promise((done, failed) => process.stdout.write('', (error) => (error ? failed(error) : done())));
}

function directOutput(path: string, stats: Stats): Output {
  return {
    async write(chunks) {
      const to = stats.isFIFO() ? await openPipe(path) : createWriteStream(path);
      await writeChunks(chunks, to, path, { end: true });
    },
    async publish() {},
  };
}

const READER_POLL_MS = 50;

/** Polls, as a blocking open would wait for a reader in a thread that not even process.exit() can stop. */
async function openPipe(path: string): Promise<Socket> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw unwritable(path, whyUnwritable(error), error);
      await setTimeout(READER_POLL_MS); // no reader yet
    }
  }
}

const WRITE_BITS = 0o222;

/** Refuses read-only files even as root: they were made read-only to be kept. */
function refuseReadOnly(path: string, { mode }: Stats): void {
  if ((mode & WRITE_BITS) === 0) throw unwritable(path, 'it is read-only');
  accessSync(path, constants.W_OK);
}

function fileOutput(path: string, target: string, options: TemporaryFileOptions): Output {
  const temporary = temporaryFor(path, target, options);
  return {
    write: (chunks) =>
      writeChunks(chunks, createWriteStream(temporary.path, { fd: temporary.fd, flush: true }), path, { end: true }),
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
    throw isOwner ? unwritable(path, 'it belongs to another user or group, which cannot be preserved', error) : error;
  }
}

/**
 * Says why an output cannot be written. It loads little, because every start may remove temporary files.
 *
 * As messages name it; commands without `-o` write to it, too.
 */

/**
 * Refuses to print pictures and bytes to a terminal.
 *
 * Refuses to print anything but folded stacks to a terminal, unless `-o -` requests it, and bytes even then.
 */
export function refuseTerminal(
  { output }: { readonly output?: readonly string[] | undefined },
  formats: readonly Format[],
): void {
  for (const [at, format] of formats.entries()) {
    const isRequested = output !== undefined && !isBinary(format);
    if (format === 'folded' || isRequested || !isTerminal(output?.[at] ?? '-')) continue;
    throw new PtflameError('BAD_OPTION', `${format} is not printed to a terminal`, {
      hint: `name a file: -o ${exampleName(format)}${isBinary(format) ? '' : ', or print it with -o -'}; see --help`,
    });
  }
}
