/**
 * What is wrong with a trace file, and what its reader is told.
 */
import { PtflameError } from '../model/errors.js';

type Why = 'cut' | 'damaged' | 'newer' | 'unreadable';

/** Found inside of a file; whoever knows the file's name makes a refusal of it. */
export class TraceFault extends Error {
  readonly why: Why;

  constructor(why: Why, message: string) {
    super(message);
    this.why = why;
  }
}

const ANEW = 'import it anew: ptflame import INPUT… -o FILE.ptf';

/** `isSalvaged`: nothing more can be done with this file. */
export function refusal(
  { why, message }: { readonly why: Why; readonly message: string },
  name: string,
  { isSalvaged }: { readonly isSalvaged: boolean },
): PtflameError {
  const hint = isSalvaged ? ANEW : `${ANEW}; or use what is left of it: --salvage`;
  switch (why) {
    case 'cut':
      return new PtflameError('TRACE_FILE_DAMAGED', `${name} ends in the middle: ${message}`, { hint });
    case 'damaged':
      return new PtflameError('TRACE_FILE_DAMAGED', `${name} is a damaged trace file: ${message}`, { hint });
    case 'newer':
      return new PtflameError('NEWER_VERSION', `${name} ${message}`, {
        hint: 'read it with the program that wrote it',
      });
    case 'unreadable':
      return new PtflameError('INPUT_UNREADABLE', `cannot read ${name}: ${message}`, {
        hint: 'check the file and its disk',
      });
  }
}
