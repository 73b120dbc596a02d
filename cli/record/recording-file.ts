/**
 * Checks whether the file that perf wrote is complete, and flushes it to disk.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';

const MAGIC = 'PERFILE2';
/** Offset of the data size in the header; perf writes it last. */
const DATA_SIZE_OFFSET = 48;

export interface RecordingFile {
  readonly bytes: number;
  /** It has a perf.data header and all data that the header declares. */
  readonly isComplete: boolean;
}

/** Returns null if the file does not exist. */
export async function inspectRecording(path: string): Promise<RecordingFile | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DATA_SIZE_OFFSET + 8), 0, DATA_SIZE_OFFSET + 8, 0);
    const { size } = await file.stat();
    return { bytes: size, isComplete: isCompleteHead(buffer.subarray(0, bytesRead), size) };
  } finally {
    await file.close();
  }
}

/** Returns whether a recording of this size, of which these are the first bytes, has all of its data. */
function isCompleteHead(head: Buffer, size: number): boolean {
  const dataBytes = head.length < DATA_SIZE_OFFSET + 8 ? 0n : head.readBigUInt64LE(DATA_SIZE_OFFSET);
  const isPerf = head.toString('latin1', 0, MAGIC.length) === MAGIC;
  return isPerf && dataBytes > 0n && dataBytes < BigInt(size);
}

/** Returns whether a snapshot has all of its data; a full disk leaves a part. */
export function isWholeRecording(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(DATA_SIZE_OFFSET + 8);
    return isCompleteHead(head.subarray(0, readSync(file, head, 0, head.length, 0)), fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

/**
 * Flushes a recording to disk, which perf does not do. `path`: a file, or a directory of `--kcore`.
 *
 * @throws the system's error; file systems without fsync are ignored
 */
async function flushRecording(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).isDirectory())
      for (const name of await readdir(path)) await flushRecording(join(path, name));
    await file.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    await file.close();
  }
}

/** @throws PtflameError OUTPUT_UNWRITABLE if the recording does not reach the disk */
export async function flushToDisk(output: string): Promise<void> {
  await flushRecording(output).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOSPC' ? 'the disk is full' : cause.message;
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${output} to the disk: ${why}`, {
      hint: 'choose another directory with -o; dmesg may show why',
      cause,
    });
  });
}

export async function fileBytes(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
