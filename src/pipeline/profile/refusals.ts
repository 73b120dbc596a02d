/**
 * Errors for profiles that would be empty or cannot be read.
 */
import { PtflameError } from '../../model/errors.js';

/** No thread has time or calls in the selection. */
export function emptySelection(): PtflameError {
  return new PtflameError('NOTHING_SELECTED', 'nothing matches the selection', {
    hint: "widen --window, --inside or --root: times are on perf's clock, or relative to the start of the recording: +10ms",
  });
}

export function brokenProfile(name: string, cause: unknown): PtflameError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PtflameError('PROFILE_DAMAGED', `cannot read all of ${name}: ${why}`, {
    hint: 'create it again from the trace: ptflame render TRACE -o FILE.json',
    cause,
  });
}

export function tooLargeProfile(name: string, maxBytes: number): PtflameError {
  return new PtflameError('TOO_LARGE', `${name} is too large: a profile may have at most ${maxBytes} bytes`, {
    hint: 'render the trace itself, or write profiles of fewer threads with --tid',
  });
}
