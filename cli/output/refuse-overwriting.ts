/**
 * Refuses outputs that are inputs, and two outputs in one file, before anything is read or written.
 */
import { type BigIntStats, existsSync, fstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { notesPath } from '../../src/perfdata/beside.js';
import { isStandardOutput } from './write-chunks.js';

interface NamedFile {
  readonly name: string;
  /** null: a device or a path that does not resolve. */
  readonly id: string | null;
}

/**
 * `inputs`: paths, "-" is standard input. `outputs`: paths, "-" is standard output.
 *
 * @throws PtflameError BAD_OPTION for an output that is an input, the notes of one, inside a recording directory, or another output
 */
export function refuseOverwriting(inputs: readonly string[], outputs: readonly string[]): void {
  const inputFiles = inputs.map(inputFile);
  const notes = inputs.map((name) => ({ name, id: fileId(notesPath(name)) }));
  const written: NamedFile[] = [];
  for (const path of outputs) {
    const output = outputFile(path);
    const input = sameAs(output, inputFiles);
    if (input)
      throw refusal(input.name === path ? `${path} is the input itself` : sameFileText(output, 'input', input));
    const annotated = sameAs(output, notes);
    if (annotated) throw refusal(`${output.name} holds the notes of ${annotated.name}`);
    const recording = isStandardOutput(path) ? null : recordingAround(path, inputFiles);
    if (recording) throw refusal(`${path} is inside the recording ${recording.name}`);
    const other = sameAs(output, written);
    if (other)
      throw refusal(other.name === output.name ? `${path} is named twice` : sameFileText(output, 'output', other));
    written.push(output);
  }
}

function inputFile(path: string): NamedFile {
  return path === '-' ? { name: 'standard input', id: openFileId(0) } : { name: path, id: fileId(path) };
}

/** Standard output always has an id, as two outputs on a terminal would mix; other devices accept several. */
function outputFile(path: string): NamedFile {
  if (!isStandardOutput(path)) return { name: path, id: fileId(path) };
  return { name: 'standard output', id: openFileId(1) ?? 'standard output' };
}

function sameAs({ id }: NamedFile, files: readonly NamedFile[]): NamedFile | null {
  return (id !== null && files.find((file) => file.id === id)) || null;
}

/** Finds the recording directory that contains an output; opening the input refuses other directories. */
function recordingAround(output: string, inputs: readonly NamedFile[]): NamedFile | null {
  const directories = directoryIds(output);
  const recording = inputs.find(({ id }) => id !== null && directories.includes(id)) ?? null;
  return recording !== null && existsSync(join(recording.name, 'data')) ? recording : null;
}

function sameFileText(output: NamedFile, kind: 'input' | 'output', other: NamedFile): string {
  return `${output.name} and the ${kind} ${other.name} are the same file`;
}

function refusal(message: string): PtflameError {
  return new PtflameError('BAD_OPTION', message, { hint: 'nothing was written; choose another file with -o' });
}

const MAX_LINKS = 40;

/**
 * Resolves paths through links and mounts and identifies the files that they lead to. Synchronous: for these few calls, a worker of
 * Node's pool would take longer.
 *
 * Resolves symbolic links; the target need not exist.
 */
export function realTarget(path: string, links = 0): string {
  const directory = realpathSync.native(dirname(path));
  const link = orNull(() => readlinkSync(path));
  if (link === null) return join(directory, basename(path));
  if (links === MAX_LINKS) throw new Error('its symbolic links form a loop');
  return realTarget(isAbsolute(link) ? link : `${directory}/${link}`, links + 1);
}

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export function statOrNull(path: string): Stats | null {
  return orNull(() => statSync(path));
}

function bigStatOrNull(path: string): BigIntStats | null {
  return orNull(() => statSync(path, { bigint: true }));
}

/** Device and inode, equal for every name and every mount of a file. 64 bits, more than a number holds. */
function inodeId({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Returns the same id for every path to one file. The id of a missing file is its directory and name. */
function fileId(path: string): string | null {
  const stats = bigStatOrNull(path);
  if (stats !== null) return idOrNull(stats);
  const target = orNull(() => realTarget(path));
  const parent = target && bigStatOrNull(dirname(target));
  return parent && `${inodeId(parent)}/${basename(target)}`;
}

/** Returns the id of an open file: 0 is standard input, 1 standard output; null if it is closed. */
function openFileId(fd: number): string | null {
  const stats = orNull(() => fstatSync(fd, { bigint: true }));
  return stats && idOrNull(stats);
}

/** Returns null for devices and sockets, which may be read and written at the same time. */
function idOrNull(stats: BigIntStats): string | null {
  return stats.isFile() || stats.isDirectory() || stats.isFIFO() ? inodeId(stats) : null;
}

/** Returns the ids of the directories above a file, up to the root. */
function directoryIds(path: string): (string | null)[] {
  const target = orNull(() => realTarget(path));
  if (target === null || statOrNull(dirname(target))?.isDirectory() !== true) return [];
  const directories = [dirname(target)];
  for (let at = dirname(target); at !== dirname(at); ) directories.push((at = dirname(at)));
  return directories.map(fileId);
}
