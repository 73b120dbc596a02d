/**
 * Copies a truncated recording, or one whose perf was killed, so that perf reads it: keeps all complete records and trace buffers.
 */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import { PtflameError, systemReason } from '../model/errors.js';
import { NONE } from '../model/units.js';
import { FileWindow, type RecordingFile, SECTION_BYTES } from './file-parts.js';
import { readHeader } from './header.js';
import { MIN_RECORD_BYTES, RecordType, readAuxBuffer } from './kernel-records.js';
import { Damage, type FileRecord, walkRecords } from './walk.js';

export interface Salvaged {
  readonly keptBytes: number;
  /** At least: it is unknown how much was never written. */
  readonly ofBytes: number;
}

/** Offsets in the header of the size of the data, and of the bits of the parts after it. */
const DATA_SIZE_AT = 48;
const FEATURES_AT = 72;
const FEATURES_BYTES = 32;
/** Without these parts perf does not accept CPUs (`-C`), and does not find the trace. */
const Feature = { NrCpus: 7, Auxtrace: 18 } as const;

/** The intact part: where it ends, its trace buffers, and how many CPUs there are at least. */
interface IntactPart {
  end: number;
  /** Where the data should end. */
  readonly expectedEnd: number;
  readonly pieces: { readonly offset: number; readonly sizeBytes: number }[];
  cpus: number;
}

/**
 * Writes the copy; it lacks the other parts of the file (names of machine and command).
 *
 * @throws PtflameError as `readRecording`; TEMPORARY_FILE if the copy cannot be written
 */
export async function salvageRecording(path: string, target: string, signal: AbortSignal): Promise<Salvaged> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (into: Uint8Array, at: number) => (await file.read(into, 0, into.length, at)).bytesRead;
    const intact = await intactPart({ name: path, sizeBytes: size, read }, signal);
    await writeCopy(path, target, intact);
    return { keptBytes: intact.end, ofBytes: Math.max(size, intact.expectedEnd) };
  } finally {
    await file.close();
  }
}

async function intactPart(file: RecordingFile, signal: AbortSignal): Promise<IntactPart> {
  const { data } = await readHeader(file);
  const end = data.sizeBytes === 0 ? file.sizeBytes : Math.min(data.offset + data.sizeBytes, file.sizeBytes);
  const expectedEnd = data.offset + data.sizeBytes;
  const intact: IntactPart = { end: data.offset, expectedEnd, pieces: [], cpus: 1 };
  const visit = (record: FileRecord) => {
    const sizeBytes = record.end - record.at;
    const isTrace = record.type === RecordType.Auxtrace;
    if (isTrace && sizeBytes < (MIN_RECORD_BYTES[record.type] ?? 0)) return end; // how much trace follows is not known
    const trace = isTrace ? readAuxBuffer(record) : null;
    const next = record.offset + sizeBytes + (trace?.sizeBytes ?? 0);
    if (next > end) return end; // a truncated trace buffer: nothing follows it
    intact.end = next;
    if (trace) intact.pieces.push({ offset: record.offset, sizeBytes });
    if (trace && trace.cpu !== NONE) intact.cpus = Math.max(intact.cpus, trace.cpu + 1);
    return trace?.sizeBytes ?? 0;
  };
  await walkRecords(new FileWindow(file, signal), data.offset, end, visit, new Damage());
  return intact;
}

async function writeCopy(path: string, target: string, intact: IntactPart): Promise<void> {
  try {
    await copyFile(path, target, constants.COPYFILE_FICLONE);
    await repair(target, intact);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw new PtflameError('TEMPORARY_FILE', `cannot copy ${path} to ${target}: ${systemReason(cause)}`, {
      hint: 'the copy needs as much space as the recording: pass a directory with --temp-dir DIR',
      cause,
    });
  }
}

async function repair(path: string, intact: IntactPart): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(intact.end);
    await writeFeatures(file, intact);
    const head = Buffer.alloc(8);
    await file.read(head, 0, head.length, DATA_SIZE_AT - 8);
    await file.write(numbers([intact.end - Number(head.readBigUInt64LE(0))]), 0, 8, DATA_SIZE_AT);
  } finally {
    await file.close();
  }
}

/** Writes a table of the parts, and the parts. */
async function writeFeatures(file: FileHandle, { end, pieces, cpus }: IntactPart): Promise<void> {
  const bits = Buffer.alloc(FEATURES_BYTES);
  bits.writeUInt32LE((1 << Feature.NrCpus) | (1 << Feature.Auxtrace));
  await file.write(bits, 0, bits.length, FEATURES_AT);
  const count = Buffer.alloc(8);
  count.writeUInt32LE(cpus, 0);
  count.writeUInt32LE(cpus, 4);
  const index = numbers([pieces.length, ...pieces.flatMap(({ offset, sizeBytes }) => [offset, sizeBytes])]);
  const first = end + 2 * SECTION_BYTES;
  const table = numbers([first, count.length, first + count.length, index.length]);
  const parts = Buffer.concat([table, count, index]);
  await file.write(parts, 0, parts.length, end);
}

/** Encodes numbers in 64 bits each. */
function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, row) => {
    bytes.writeBigUInt64LE(BigInt(value), 8 * row);
  });
  return bytes;
}
