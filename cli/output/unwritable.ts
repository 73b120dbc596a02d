/**
 * Says why an output cannot be written. It loads little, because every start may remove temporary files.
 */
import { PtflameError, systemReason } from '../../src/model/errors.js';

/** As messages name it; commands without `-o` write to it, too. */
export const STANDARD_OUTPUT_NAME = 'standard output';

/** `hint`: for files that an option other than `-o` names. */
export function unwritable(name: string, why: string, cause?: unknown, hint?: string): PtflameError {
  const usual = name === STANDARD_OUTPUT_NAME ? 'redirect it to another file or device' : 'choose another path with -o';
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${name}: ${why}`, { hint: hint ?? usual, cause });
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
    case 'EDQUOT':
      return 'the disk quota is used up';
    case 'EFBIG':
      return 'the file would be larger than the limit: ulimit -f';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    default:
      return systemReason(error);
  }
}
