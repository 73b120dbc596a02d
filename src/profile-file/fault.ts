/**
 * What is wrong with a file that was to be a profile, and what its reader is told.
 */
import { PtflameError } from '../model/errors.js';
import { FORMAT } from './format.js';

type Why = 'cut' | 'damaged' | 'newer' | 'other-kind' | 'too-large';

/** Found inside of a file; whoever knows the file's name makes a refusal of it. */
export class ProfileFault extends Error {
  readonly why: Why;

  constructor(why: Why, message: string) {
    super(message);
    this.why = why;
  }
}

const WRITE_ANEW = 'write it anew from the trace: ptflame render TRACE -o FILE.json';

/** `bytes`: what was read; a file that does not begin as a profile is not called a damaged one. */
export function refusal({ why, message }: ProfileFault, name: string, bytes: Uint8Array): PtflameError {
  switch (isOurs(bytes) ? why : 'other-kind') {
    case 'cut':
      return new PtflameError('PROFILE_DAMAGED', `${name} ends in the middle: it was not written whole`, {
        hint: WRITE_ANEW,
      });
    case 'damaged':
      return new PtflameError('PROFILE_DAMAGED', `${name} is a damaged profile: ${message}`, { hint: WRITE_ANEW });
    case 'newer':
      return new PtflameError('NEWER_VERSION', `${name} ${message}`, {
        hint: 'read it with the program that wrote it',
      });
    case 'other-kind':
      return new PtflameError('INPUT_KIND', `${name} is no ptflame profile: it looks like ${kindOf(bytes)}`, {
        hint: 'ptflame reads the text of perf script, and profiles that it wrote itself',
      });
    case 'too-large':
      return new PtflameError('TOO_LARGE', `${name} is too large to be read back: ${message}`, {
        hint: 'render the trace itself, or write profiles of fewer threads with --tid',
      });
  }
}

const HEAD_BYTES = 64 * 1024;

function isOurs(bytes: Uint8Array): boolean {
  return headOf(bytes).includes(`"${FORMAT}"`);
}

function headOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
}

const OTHER_KINDS = [
  { kind: 'a speedscope profile', sign: /"\$schema"\s*:\s*"https:\/\/www\.speedscope\.app/ },
  { kind: 'a Chrome trace', sign: /"traceEvents"\s*:/ },
  { kind: 'a profile of the Firefox profiler', sign: /"preprocessedProfileVersion"\s*:/ },
  { kind: 'the JSON of perf data convert', sign: /"linux-perf-json-version"\s*:/ },
  { kind: 'a V8 CPU profile', sign: /"nodes"\s*:\s*\[\s*\{\s*"id"\s*:/ },
  { kind: 'JSON of some other program', sign: /^\s*[[{]/ },
] as const;

function kindOf(bytes: Uint8Array): string {
  const head = headOf(bytes);
  return OTHER_KINDS.find(({ sign }) => sign.test(head))?.kind ?? 'text of another kind';
}
