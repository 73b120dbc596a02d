/**
 * Refuses outputs that are inputs, and two outputs in one file, before anything is read or written.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { notesPath } from '../input/data-file.js';
import { directoryIds, fileId, openFileId } from './file-identity.js';
import { isStandardOutput } from './outputs.js';

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
