/**
 * Makes sure that a file stays the same while it is read more than once.
 */
import { statSync } from 'node:fs';
import { PtflameError, unreadableInput } from '../../model/errors.js';

interface ReadFile {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  /** When it was read first. */
  readonly sizeBytes: number;
}

/** @throws PtflameError INPUT_UNREADABLE if the file is gone, or is another one after the work */
export async function whileUnchanged(file: ReadFile, work: () => Promise<void>): Promise<void> {
  const before = identity(file);
  await work();
  if (identity(file) !== before) throw changed(file.name);
}

function identity({ path, name, sizeBytes }: ReadFile): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    if (size !== sizeBytes) throw changed(name);
    return `${dev} ${ino} ${mtimeMs}`;
  } catch (error) {
    throw error instanceof PtflameError ? error : unreadableInput(name, error);
  }
}

function changed(name: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `${name} changed while it was read`, {
    hint: 'try again once it no longer changes',
  });
}
