/**
 * The file that perf wrote: is it whole? What stood in its place before is kept.
 */
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { PtflameError } from '../../src/text.js';
import { notesPath } from '../data-file.js';

const MAGIC = 'PERFILE2';
/** Where the header says how long the data is; perf writes it last. */
const DATA_SIZE_AT = 48;

export interface RecordingFile {
  readonly bytes: number;
  /** It has a header of perf's, and the data that it tells of. */
  readonly isWhole: boolean;
}

/** null if there is none. */
export async function inspectRecording(path: string): Promise<RecordingFile | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DATA_SIZE_AT + 8), 0, DATA_SIZE_AT + 8, 0);
    const { size } = await file.stat();
    const dataBytes = bytesRead < DATA_SIZE_AT + 8 ? 0n : buffer.readBigUInt64LE(DATA_SIZE_AT);
    const isPerf = buffer.toString('latin1', 0, MAGIC.length) === MAGIC;
    return { bytes: size, isWhole: isPerf && dataBytes > 0n && dataBytes < BigInt(size) };
  } finally {
    await file.close();
  }
}

export async function fileBytes(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What stood at the output before. */
export interface Replaced {
  /** Puts it back, after a recording that failed. */
  restore(): Promise<void>;
}

/** Moves what is there to ".old", with what was written beside it. */
export async function moveAway(output: string): Promise<Replaced> {
  const stats = await stat(output).catch(() => null);
  if (stats === null) return { restore: async () => removeRecording(output) };
  if (!stats.isFile() && !(stats.isDirectory() && (await isPerfDirectory(output))))
    throw new PtflameError('OUTPUT_UNWRITABLE', `${output} is there already, and is no recording`, {
      hint: 'choose another name with -o',
    });
  const old = `${output}.old`;
  await move(output, old);
  await rename(notesPath(output), notesPath(old)).catch(() => {});
  return {
    async restore() {
      await removeRecording(output);
      await rename(old, output).catch(() => {});
      await rename(notesPath(old), notesPath(output)).catch(() => {});
    },
  };
}

async function move(output: string, old: string): Promise<void> {
  try {
    if (await isPerfDirectory(old)) await rm(old, { recursive: true });
    await rename(output, old);
  } catch (cause) {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot move ${output} to ${basename(old)}: ${String(cause)}`, {
      hint: 'choose another name with -o',
      cause,
    });
  }
}

/** As `perf record --kcore` makes them: nothing else is in it, so that nothing else is ever removed with it. */
async function isPerfDirectory(path: string): Promise<boolean> {
  const names: string[] = await readdir(path).catch(() => []);
  return names.includes('data') && names.every((name) => name === 'data' || /^kcore_dir/.test(name));
}

/** Of a recording that is not whole. */
export async function removeRecording(output: string): Promise<void> {
  const stats = await stat(output).catch(() => null);
  const isOurs = stats?.isFile() || (await isPerfDirectory(output));
  if (isOurs) await rm(output, { recursive: true, force: true });
}
