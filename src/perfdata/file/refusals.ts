/**
 * Errors for recordings that cannot be read at all: what they are, and what to do.
 */
import { PtflameError } from '../../model/errors.js';

const RECORD_TO_FILE = 'record to a file, without a pipe: perf record -o perf.data …';

export function notARecording(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is not a perf recording (perf.data)`, {
    hint: 'pass the file that perf record -o wrote',
  });
}

export function empty(name: string): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `${name} is empty: perf record wrote nothing, or is still running`, {
    hint: 'check what perf record prints, and record again',
  });
}

export function otherEndianness(name: string): PtflameError {
  return new PtflameError('RECORDING_FOREIGN', `${name} was recorded on a big-endian machine, which has no Intel PT`, {
    hint: 'record on an Intel processor',
  });
}

export function oldFormat(name: string): PtflameError {
  return new PtflameError('RECORDING_FOREIGN', `${name} has the oldest perf.data format, which predates Intel PT`, {
    hint: 'record with perf 4.3 or newer',
  });
}

export function piped(name: string): PtflameError {
  return new PtflameError('RECORDING_PIPED', `${name} was recorded through a pipe and has no list of its events`, {
    hint: RECORD_TO_FILE,
  });
}

export function damagedHeader(name: string, what: string): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `cannot read ${name}: ${what}`, {
    hint: 'copy it again from where it was recorded, or record again',
  });
}
