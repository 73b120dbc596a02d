/**
 * What is wrong with a file that ptflame wrote, and what its reader is told.
 */
import { type ErrorCode, PtflameError } from '../model/errors.js';

type FaultCode = 'cut' | 'damaged' | 'newer' | 'other-kind' | 'too-large' | 'unreadable';

/** Found inside of a file; whoever knows the file's name makes a refusal of it. */
export class FileFault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** `path`: where it stands in the file. */
export function damagedAt(path: string, what: string): FileFault {
  return new FileFault('damaged', `${path} ${what}`);
}

const VERSION_OF_OURS = /^[\w.+-]{1,40}$/;

/** `producer`: the version of the program that wrote it, as the file says; `known`: the last version that can be read. */
export function newerVersion(version: number, known: number, producer: unknown): FileFault {
  const isOurs = typeof producer === 'string' && VERSION_OF_OURS.test(producer);
  const wanted = isOurs ? `: use ptflame ${producer} or newer` : '';
  return new FileFault(
    'newer',
    `was written in version ${version} of the format, and this program reads up to ${known}${wanted}`,
  );
}

/** What a file is called, and how to come by a whole one. */
export interface FileKind {
  readonly kind: 'profile' | 'trace file';
  readonly damaged: ErrorCode;
  readonly anew: string;
}

export function refusal(
  { code, message }: Pick<FileFault, 'code' | 'message'>,
  name: string,
  { kind, damaged, anew }: FileKind,
): PtflameError {
  switch (code) {
    case 'cut':
      return new PtflameError(damaged, `${name} ends in the middle: ${message}`, { hint: anew });
    case 'damaged':
      return new PtflameError(damaged, `${name} is a damaged ${kind}: ${message}`, { hint: anew });
    case 'newer':
      return new PtflameError('NEWER_VERSION', `${name} ${message}`, {
        hint: 'read it with the program that wrote it',
      });
    case 'other-kind':
      return new PtflameError('INPUT_KIND', `${name} is no ptflame ${kind}: it looks like ${message}`, {
        hint: 'ptflame reads the text of perf script, and profiles that it wrote itself',
      });
    case 'too-large':
      return new PtflameError('TOO_LARGE', `${name} is too large to be read back: ${message}`, {
        hint: 'render the trace itself, or write profiles of fewer threads with --tid',
      });
    case 'unreadable':
      return new PtflameError('INPUT_UNREADABLE', `cannot read ${name}: ${message}`, {
        hint: 'check the file and its disk',
      });
  }
}
