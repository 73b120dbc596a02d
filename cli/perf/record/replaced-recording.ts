/**
 * Sets aside an earlier recording with the output's name. It replaces the ".old" recording only when the new one is complete.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { PtflameError, systemReason } from '../../../src/model/errors.js';
import { firstBytes, formatsPath, notesPath, wakingsPath } from '../../input/data-file.js';
import { statOrNull } from '../../output/file-identity.js';
import { areFormats } from './events/event-formats.js';

export interface ReplacedRecording {
  /** Makes it the ".old" recording; call it when the new recording is complete. */
  keep(): Promise<void>;
  /** Moves it back; call it when there is no new recording. */
  restore(): Promise<void>;
}

/** Files next to a recording, which are moved and removed with it. */
const SIDE_FILES = [
  { path: notesPath, isOurs: areNotes },
  { path: wakingsPath, isOurs: areWakings },
  { path: formatsPath, isOurs: async (path: string) => areFormats(firstBytes(path)) },
];

/**
 * Moves the recording at `output` aside, with the files next to it.
 *
 * @throws PtflameError OUTPUT_UNWRITABLE if the output is not a recording, or is read-only
 */
export async function setAside(output: string): Promise<ReplacedRecording> {
  const old = `${output}.old`;
  for (const path of [output, old]) await refuseOtherFiles(path);
  const aside = `${output}.${randomUUID().slice(0, 8)}.old`;
  await move(output, aside);
  return {
    async keep() {
      if ((await kindOf(aside)) !== 'recording') return remove(aside);
      await remove(old);
      await move(aside, old);
    },
    async restore() {
      await remove(output);
      await move(aside, output);
    },
  };
}

/** Moves what exists of a recording and the files next to it. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to).catch(ignoreMissing);
    for (const { path } of SIDE_FILES) await rename(path(from), path(to)).catch(ignoreMissing);
  } catch (cause) {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot move ${from} to ${to}: ${systemReason(cause)}`, {
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
  const stats = statOrNull(path);
  if (stats === null) return 'nothing';
  if (stats.isFile() && stats.size === 0) return 'empty';
  if (!stats.isFile() && !(await isPerfDirectory(path))) return 'other';
  return MAGICS.includes(Buffer.from(firstBytes(path).subarray(0, 8)).toString('latin1')) ? 'recording' : 'other';
}

/** Returns whether `perf record --kcore` made this directory: with any other file in it, it is never removed. */
async function isPerfDirectory(path: string): Promise<boolean> {
  const names: string[] = await readdir(path).catch(() => []);
  return names.includes('data') && names.every((name) => name === 'data' || /^kcore_dir/.test(name));
}

const ANY_WRITE_PERMISSION = 0o222;

/** Only recordings, their notes and empty files may be moved or replaced. */
async function refuseOtherFiles(path: string): Promise<void> {
  if ((await kindOf(path)) === 'other') throw unwritable(`${path} already exists and is not a recording`);
  const stats = statOrNull(path);
  if (stats?.isFile() && (stats.mode & ANY_WRITE_PERMISSION) === 0) throw unwritable(`${path} is read-only`);
  for (const side of SIDE_FILES) await refuseOtherSideFile(side.path(path), side.isOurs);
}

/** An empty file is what an interrupted recording leaves. */
async function refuseOtherSideFile(path: string, isOurs: (path: string) => Promise<boolean>): Promise<void> {
  const stats = statOrNull(path);
  if (stats === null || (stats.isFile() && (stats.size === 0 || (await isOurs(path))))) return;
  throw unwritable(`${path} already exists and was not written by ptflame`);
}

async function areNotes(path: string): Promise<boolean> {
  return (await readFile(path, 'latin1')).includes('"format": "ptflame-recording"');
}

/** A recording with notes of its own is not part of another. */
async function areWakings(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'recording' && statOrNull(notesPath(path)) === null;
}

function unwritable(message: string): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', message, { hint: 'move it away, or choose another name with -o' });
}

/** Removes a recording and the files next to it. */
async function remove(recording: string): Promise<void> {
  const stats = statOrNull(recording);
  if (stats?.isFile() || (await isPerfDirectory(recording))) await rm(recording, { recursive: true, force: true });
  for (const { path } of SIDE_FILES) await rm(path(recording), { force: true });
}
