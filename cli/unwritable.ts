/**
 * What the system says of a place that cannot be written → the error that tells of it.
 */
import { PtflameError } from '../src/text.js';

/** `name`: of the place. */
export function unwritable(name: string, why: string, cause?: unknown): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${name}: ${why}`, {
    hint: 'choose another place with -o',
    cause,
  });
}

export function whyUnwritable(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'its directory does not exist';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'no permission';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
