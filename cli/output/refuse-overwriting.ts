/**
 * No command writes to a file that it reads, nor two results to one file: this is told before anything is read or written.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PtflameError } from '../../src/text.js';
import { notesPath } from '../input/data-file.js';
import { directoryIds, fileId, openFileId } from './file-identity.js';
import { isStandardOutput } from './outputs.js';

/** A file, however it is called. */
interface Place {
  readonly name: string;
  /** null: a device, or nowhere. */
  readonly id: string | null;
}

/**
 * `inputs`: paths, "-" is standard input. `outputs`: paths, "-" is standard output.
 *
 * @throws PtflameError BAD_OPTION for an output that is an input, the notes of one, in a directory that is one, or another output
 */
export async function refuseOverwriting(inputs: readonly string[], outputs: readonly string[]): Promise<void> {
  const read = await Promise.all(inputs.map(inputPlace));
  const notes = await Promise.all(inputs.map(async (name) => ({ name, id: await fileId(notesPath(name)) })));
  const written: Place[] = [];
  for (const path of outputs) {
    const output = await outputPlace(path);
    const input = sameAs(output, read);
    if (input) throw refusal(input.name === path ? `${path} is the input itself` : areOne(output, 'input', input));
    const noted = sameAs(output, notes);
    if (noted) throw refusal(`${output.name} is where the notes of ${noted.name} are kept`);
    const holder = isStandardOutput(path) ? null : await holderOf(path, read);
    if (holder) throw refusal(`${path} lies in the recording ${holder.name}`);
    const other = sameAs(output, written);
    if (other) throw refusal(other.name === output.name ? `${path} is named twice` : areOne(output, 'output', other));
    written.push(output);
  }
}

async function inputPlace(path: string): Promise<Place> {
  return path === '-' ? { name: 'standard input', id: openFileId(0) } : { name: path, id: await fileId(path) };
}

/** Two results on one terminal mix; a device like /dev/null takes all that it is given. */
async function outputPlace(path: string): Promise<Place> {
  if (!isStandardOutput(path)) return { name: path, id: await fileId(path) };
  return { name: 'standard output', id: openFileId(1) ?? 'standard output' };
}

function sameAs({ id }: Place, places: readonly Place[]): Place | null {
  return (id !== null && places.find((place) => place.id === id)) || null;
}

/** A recording may be a directory; any other one is no input, which is told when it is opened. */
async function holderOf(output: string, inputs: readonly Place[]): Promise<Place | null> {
  const directories = await directoryIds(output);
  const holder = inputs.find(({ id }) => id !== null && directories.includes(id)) ?? null;
  return holder !== null && existsSync(join(holder.name, 'data')) ? holder : null;
}

function areOne(output: Place, kind: 'input' | 'output', other: Place): string {
  return `${output.name} and the ${kind} ${other.name} are the same file`;
}

function refusal(message: string): PtflameError {
  return new PtflameError('BAD_OPTION', message, { hint: 'nothing was written; name another file with -o' });
}
