/**
 * Faults of files that ptflame wrote, and the errors that users see for them.
 */
import { type ErrorCode, PtflameError } from '../model/errors.js';

type FaultCode = 'cut' | 'damaged' | 'newer' | 'other-kind' | 'too-large' | 'unreadable';

/** A fault in the contents of a file; `refusal` adds the file's name and turns it into an error for users. */
export class FileFault extends Error {
  constructor(
    readonly code: FaultCode,
    message: string,
  ) {
    super(message);
  }
}

/** `path`: of the value in the file. */
export function damagedAt(path: string, what: string): FileFault {
  return new FileFault('damaged', `${path} ${what}`);
}

const VERSION_OF_OURS = /^[\w.+-]{1,40}$/;

/** `producer`: the version of ptflame that wrote the file, as the file claims; `known`: the latest readable version. */
export function newerVersion(version: number, known: number, producer: unknown): FileFault {
  const isOurs = typeof producer === 'string' && VERSION_OF_OURS.test(producer);
  const wanted = isOurs ? `: use ptflame ${producer} or newer` : '';
  return new FileFault(
    'newer',
    `has version ${version} of the format, but this ptflame reads only versions up to ${known}${wanted}`,
  );
}

/** A kind of file, and how to create it again. */
export interface FileKind {
  readonly kind: 'profile' | 'trace file';
  readonly damaged: ErrorCode;
  readonly recreate: string;
}

export function refusal(
  { code, message }: Pick<FileFault, 'code' | 'message'>,
  name: string,
  { kind, damaged, recreate }: FileKind,
): PtflameError {
  switch (code) {
    case 'cut':
      return new PtflameError(damaged, `${name} is truncated: ${message}`, { hint: recreate });
    case 'damaged':
      return new PtflameError(damaged, `${name} is a damaged ${kind}: ${message}`, { hint: recreate });
    case 'newer':
      return new PtflameError('NEWER_VERSION', `${name} ${message}`, {
        hint: 'read it with the version of ptflame that wrote it',
      });
    case 'other-kind':
      return new PtflameError('INPUT_KIND', `${name} is not a ptflame ${kind}: it looks like ${message}`, {
        hint: 'ptflame reads recordings (perf.data), the output of perf script, and its own profiles',
      });
    case 'too-large':
      return new PtflameError('TOO_LARGE', `${name} is too large: ${message}`, {
        hint: 'render the trace itself, or write profiles of fewer threads with --tid',
      });
    case 'unreadable':
      return new PtflameError('INPUT_UNREADABLE', `cannot read ${name}: ${message}`, {
        hint: 'check the file and its disk',
      });
  }
}
