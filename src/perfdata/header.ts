/**
 * Reads the header of a recording: its format, and where its parts are.
 */

import { PtflameError } from '../model/errors.js';
import { type RecordingFile, readFully, readSection, readU64, type Section } from './file-parts.js';

export interface FileHeader {
  /** Attributes of each event, and where its ids are. */
  readonly attributes: Section;
  readonly attributeBytes: number;
  readonly data: Section;
  /** Feature bits of the parts after the data, in the order of their table. */
  readonly features: readonly number[];
}

const HEADER_BYTES = 104;
/** Very old perf wrote no feature bits. */
const SHORT_HEADER_BYTES = 72;
const PIPE_HEADER_BYTES = 16;
const MAGIC_BYTES = 8;

function magicOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, MAGIC_BYTES));
}

/** @throws PtflameError if it is not a recording, or cannot be read */
export async function readHeader(file: RecordingFile): Promise<FileHeader> {
  const bytes = await readFully(file, new Uint8Array(HEADER_BYTES), 0);
  refuseOthers(bytes, file.name);
  const view = new DataView(bytes.buffer);
  const headerBytes = bytes.length < PIPE_HEADER_BYTES ? 0 : readU64(view, 8);
  if (headerBytes === PIPE_HEADER_BYTES) throw piped(file.name);
  if (bytes.length < HEADER_BYTES) throw damagedHeader(file.name, 'it ends within its header');
  if (headerBytes !== HEADER_BYTES && headerBytes !== SHORT_HEADER_BYTES)
    throw damagedHeader(file.name, `its header has ${headerBytes} bytes, not ${HEADER_BYTES}`);
  const data = readSection(view, 40);
  if (data.offset < headerBytes)
    throw damagedHeader(file.name, `its data would begin at byte ${data.offset}, within its header`);
  if (data.offset > file.sizeBytes)
    throw damagedHeader(
      file.name,
      `its data would begin at byte ${data.offset}, but it has only ${file.sizeBytes} bytes`,
    );
  return {
    attributeBytes: readU64(view, 16),
    attributes: readSection(view, 24),
    data,
    features: headerBytes === SHORT_HEADER_BYTES ? [] : bitsOf(view, SHORT_HEADER_BYTES),
  };
}

function refuseOthers(bytes: Uint8Array, name: string): void {
  if (bytes.length === 0) throw empty(name);
  const magic = magicOf(bytes);
  if (magic === '2ELIFREP' || magic === 'ELIFFREP') throw otherEndianness(name);
  if (magic === 'PERFFILE') throw oldFormat(name);
  if (magic !== 'PERFILE2') throw notARecording(name);
}

/** 256 bits, the lowest first. */
function bitsOf(view: DataView, at: number): number[] {
  const all = Array.from({ length: 256 }, (_, bit) => bit);
  return all.filter((bit) => (view.getUint8(at + (bit >> 3)) >> (bit & 7)) & 1);
}

const RECORD_TO_FILE = 'record to a file, without a pipe: perf record -o perf.data …';

/** Errors for recordings that cannot be read at all: what they are, and what to do. */
export function notARecording(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is not a perf recording (perf.data)`, {
    hint: 'pass the file that perf record -o wrote',
  });
}

function empty(name: string): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `${name} is empty: perf record wrote nothing, or is still running`, {
    hint: 'check what perf record prints, and record again',
  });
}

function otherEndianness(name: string): PtflameError {
  return new PtflameError('RECORDING_FOREIGN', `${name} was recorded on a big-endian machine, which has no Intel PT`, {
    hint: 'record on an Intel processor',
  });
}

function oldFormat(name: string): PtflameError {
  return new PtflameError('RECORDING_FOREIGN', `${name} has the oldest perf.data format, which predates Intel PT`, {
    hint: 'record with perf 4.3 or newer',
  });
}

function piped(name: string): PtflameError {
  return new PtflameError('RECORDING_PIPED', `${name} was recorded through a pipe and has no list of its events`, {
    hint: RECORD_TO_FILE,
  });
}

export function damagedHeader(name: string, what: string): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `cannot read ${name}: ${what}`, {
    hint: 'copy it again from where it was recorded, or record again',
  });
}
