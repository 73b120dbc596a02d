/**
 * Profiles that there are not: nothing is in them, or they cannot be read.
 */
import { PtflameError } from '../../model/errors.js';

/** No thread has time or calls in what is looked at. */
export function emptySelection(): PtflameError {
  return new PtflameError('NOTHING_SELECTED', 'nothing of the trace lies in what is looked at', {
    hint: 'widen --window, --inside or --root: times are on the clock of perf, or +10ms from the start of the recording',
  });
}

export function brokenProfile(name: string, cause: unknown): PtflameError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PtflameError('PROFILE_DAMAGED', `${name} cannot be read to its end: ${why}`, {
    hint: 'write it anew from the trace: ptflame render TRACE -o FILE.json',
    cause,
  });
}

export function tooLargeProfile(name: string, maxBytes: number): PtflameError {
  return new PtflameError('TOO_LARGE', `${name} is too large to be read back: it has more than ${maxBytes} bytes`, {
    hint: 'render the trace itself, or write profiles of fewer threads with --tid',
  });
}
