/**
 * Turns a fault of a trace file into an error for the user.
 */
import { type FileFault, type FileKind, refusal } from '../../codec/file-fault.js';
import type { PtflameError } from '../../model/errors.js';

const RECREATE = 'import it again: ptflame import INPUT… -o FILE.ptf';

const TRACE_FILE: FileKind = {
  kind: 'trace file',
  damaged: 'TRACE_FILE_DAMAGED',
  recreate: `${RECREATE}; or read what is left of it with --salvage`,
};

/** `isSalvaged`: salvaging was tried already, so it is not suggested. */
export function traceFileRefusal(
  fault: Pick<FileFault, 'code' | 'message'>,
  name: string,
  { isSalvaged }: { readonly isSalvaged: boolean },
): PtflameError {
  return refusal(fault, name, isSalvaged ? { ...TRACE_FILE, recreate: RECREATE } : TRACE_FILE);
}
