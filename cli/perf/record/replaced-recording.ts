/**
 * What stands at the output of a recording: it is set aside, and becomes the ".old" one only when the new one is whole. Until
 * then the older ".old" one stays what it is.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { PtflameError } from '../../../src/text.js';
import { firstBytes, notesPath } from '../../input/data-file.js';
import { statOrNull } from '../../output/file-identity.js';

/** What stood at the output before. */
export interface ReplacedRecording {
  /** The new recording is whole: what was there is the old one now. */
  keep(): Promise<void>;
  /** There is no new recording: puts it back. */
  restore(): Promise<void>;
}

/** Sets aside what is there, with its notes. @throws PtflameError OUTPUT_UNWRITABLE for what is no recording, or read-only */
export async function setAside(output: string): Promise<ReplacedRecording> {
  const old = `${output}.old`;
  for (const path of [output, old]) await refuseOthers(path);
  if ((await statOrNull(output)) === null) return { keep: async () => {}, restore: () => removeRecording(output) };
  const aside = `${output}.${randomUUID().slice(0, 8)}.old`;
  await move(output, aside);
  return {
    async keep() {
      if ((await kindOf(aside)) === 'empty') return rm(aside);
      await removeRecording(old);
      await rm(notesPath(old), { force: true });
      await move(aside, old);
    },
    async restore() {
      await removeRecording(output);
      await move(aside, output);
    },
  };
}

/** With its notes. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
    await rename(notesPath(from), notesPath(to)).catch(ignoreMissing);
  } catch (cause) {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot move ${from} to ${to}: ${String(cause)}`, {
      hint: 'choose another name with -o',
      cause,
    });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const MAGICS = ['PERFILE2', '2ELIFREP'];
type Kind = 'recording' | 'empty' | 'other' | 'nothing';

async function kindOf(path: string): Promise<Kind> {
  const stats = await statOrNull(path);
  if (stats === null) return 'nothing';
  if (stats.isFile() && stats.size === 0) return 'empty';
  if (!stats.isFile() && !(await isPerfDirectory(path))) return 'other';
  return MAGICS.includes(Buffer.from(firstBytes(path).subarray(0, 8)).toString('latin1')) ? 'recording' : 'other';
}

/** As `perf record --kcore` makes them: nothing else is in it, so that nothing else is ever removed with it. */
async function isPerfDirectory(path: string): Promise<boolean> {
  const names: string[] = await readdir(path).catch(() => []);
  return names.includes('data') && names.every((name) => name === 'data' || /^kcore_dir/.test(name));
}

const SOMEBODY_MAY_WRITE = 0o222;

/** Nothing is moved or replaced but recordings, their notes, and files without a byte. */
async function refuseOthers(path: string): Promise<void> {
  if ((await kindOf(path)) === 'other') throw unwritable(`${path} is there already, and is no recording`);
  const stats = await statOrNull(path);
  if (stats?.isFile() && (stats.mode & SOMEBODY_MAY_WRITE) === 0) throw unwritable(`${path} is read-only`);
  if (!(await areNotes(notesPath(path))))
    throw unwritable(`${notesPath(path)} is there already, and holds no notes of ptflame`);
}

/** Also if there is nothing. */
async function areNotes(path: string): Promise<boolean> {
  const stats = await statOrNull(path);
  if (stats === null) return true;
  return stats.isFile() && (await readFile(path, 'latin1')).includes('"format": "ptflame-recording"');
}

function unwritable(message: string): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', message, { hint: 'move it away, or choose another name with -o' });
}

/** One that is not whole, or not wanted any more. */
async function removeRecording(path: string): Promise<void> {
  const stats = await statOrNull(path);
  if (stats?.isFile() || (await isPerfDirectory(path))) await rm(path, { recursive: true, force: true });
}
