/**
 * Short text → standard output, whole: for what is printed before anything of the library is loaded.
 */
import { PtflameError } from '../src/text.js';

/** @throws EPIPE if the reader went away, PtflameError OUTPUT_UNWRITABLE for anything else */
export function printed(text: string): Promise<void> {
  return new Promise((done, failed) => {
    process.stdout.write(text, (error) => (error ? failed(unwritten(error)) : done()));
  });
}

function unwritten(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot write standard output: ${error.message}`, {
    hint: 'is the disk full? df -h',
    cause: error,
  });
}
