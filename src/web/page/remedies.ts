/**
 * Says what to do about a failure on this page: hints of the command line name options, which a page does not have.
 */
import type { ErrorCode } from '../../model/errors.js';

/** In place of hints that name options. Words in backticks are commands. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  NEWER_VERSION: 'Make this page again with that version: `ptflame page -o ptflame.html`.',
  NOT_OFFERED: 'Use the command line on a machine with perf: `ptflame render perf.data -o flame.html`.',
  PACK_DAMAGED: 'Copy the pack again from where it was made.',
  RECORDING_DAMAGED:
    'Copy it again from where it was recorded. The command line decodes the intact part: `ptflame render perf.data --salvage -o flame.html`.',
  RECORDING_FOREIGN: 'Only recordings of Linux on x86-64 are decoded.',
  RECORDING_PIPED: 'Record to a file: `perf record -o perf.data …`.',
  TIMELESS: 'The width of frames can be their number of calls instead.',
  TOO_LARGE:
    'A browser allows a page less memory than a program. Use the command line: `ptflame render perf.data -o flame.html`.',
};

export function remedyOf(code: ErrorCode, hint: string): string {
  return REMEDIES[code] ?? hint;
}
