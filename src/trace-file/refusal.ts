/**
 * A trace file that cannot be read: what its reader is told.
 */
import { type FileFault, type FileKind, refusal } from '../codec/file-fault.js';
import type { PtflameError } from '../model/errors.js';

const ANEW = 'import it anew: ptflame import INPUT… -o FILE.ptf';

const TRACE_FILE: FileKind = {
  kind: 'trace file',
  damaged: 'TRACE_FILE_DAMAGED',
  anew: `${ANEW}; or use what is left of it: --salvage`,
};

/** `isSalvaged`: nothing more can be done with this file. */
export function traceFileRefusal(
  fault: Pick<FileFault, 'code' | 'message'>,
  name: string,
  { isSalvaged }: { readonly isSalvaged: boolean },
): PtflameError {
  return refusal(fault, name, isSalvaged ? { ...TRACE_FILE, anew: ANEW } : TRACE_FILE);
}
