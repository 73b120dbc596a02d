/**
 * Turns the recording of a program into that of a JIT compiler: its code is anonymous memory, and a jitdump describes it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readElf } from '../../../src/symbols/elf-file.js';
import { DISK_FILES } from '../../../src/symbols/symbol-files.js';
import { buildSymbolTable } from '../../../src/symbols/symbol-table.js';
import { RECORDED_ROOT, recordingPath } from './perf.js';
import { record, text, u32, u64 } from './perf-data.js';
import { putTogether, type RawRecord, takeApart } from './rewrite.js';

export const PROGRAM = '/opt/ptflame/loop';
export const PID = 5000;
/** Where its code is, in memory and in the file. */
const CODE_START = 0x401000;
const CODE_OFFSET = 0x1000;
const CODE_BYTES = 0x128;

const MMAP2 = 10;
const FILE_AT = 72;

/** Names files of code: `marker` is the path of the dump, `code` the name of the memory in which the program is; null: no record. */
export function jitRecording({ marker, code }: { readonly marker: string; readonly code: string | null }): Buffer {
  const recording = takeApart(readFileSync(recordingPath('loop')));
  const records = recording.records.flatMap((raw) => {
    if (raw.type !== MMAP2 || !raw.bytes.includes(PROGRAM)) return raw;
    const moved = Buffer.from(raw.bytes);
    moved.writeBigUInt64LE(0x10000n, 16);
    return [renamed({ ...raw, bytes: moved }, marker), ...(code === null ? [] : [renamed(raw, code)])];
  });
  return putTogether({ ...recording, records });
}

/** Beyond what Linux gives to processes: perf inject --jit asks the machine about the process of a recording, and passes its dump over where that number is another one's thread. */
export const ABSENT_PID = 5_000_000;
const THREADS = 4;

/** The recording with process `ABSENT_PID` instead of `PID`. */
export function ofAbsentProcess(recording: Buffer): Buffer {
  const { records, ...rest } = takeApart(recording);
  return putTogether({ ...rest, records: records.map((raw) => ({ ...raw, bytes: withAbsentIds(raw.bytes) })) });
}

/** A record of a recording or of a dump with them. */
export function withAbsentIds(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let at = 0; at + 4 <= changed.length; at += 4) {
    const thread = changed.readUInt32LE(at) - PID;
    if (thread >= 0 && thread < THREADS) changed.writeUInt32LE(ABSENT_PID + thread, at);
  }
  return changed;
}

function renamed({ bytes, ...raw }: RawRecord, file: string): RawRecord {
  const trailer = bytes.subarray(FILE_AT + text(PROGRAM).length);
  return { ...raw, bytes: record(MMAP2, bytes.readUInt16LE(4), bytes.subarray(8, FILE_AT), text(file), trailer) };
}

export interface DumpedFunction {
  readonly name: string;
  readonly start: number;
  readonly code: Uint8Array;
}

/** The functions of the program. */
export function programFunctions(): DumpedFunction[] {
  const file = DISK_FILES.open(join(RECORDED_ROOT, PROGRAM));
  const elf = file === null ? null : readElf(file).elf;
  if (file === null || elf === null) throw new Error('no program');
  const table = buildSymbolTable(elf, elf, { demangle: () => null, pltNames: 'all' });
  const functions: DumpedFunction[] = [];
  for (let at = CODE_OFFSET; at < CODE_OFFSET + CODE_BYTES; ) {
    const found = table.find(at);
    if (found === null) throw new Error('code without a symbol');
    const code = file.read(found.start, found.end - found.start);
    functions.push({ name: found.name, start: CODE_START + found.start - CODE_OFFSET, code });
    at = found.end;
  }
  file.close();
  return functions;
}

export const TSC_CLOCK = 1;

/** Builds the start of a dump. `created` is on its clock. */
export function dumpHeader(created: bigint, flags: number = TSC_CLOCK): Buffer {
  return Buffer.concat([u32(0x4a695444), u32(1), u32(40), u32(62), u32(0), u32(PID), u64(created), u64(flags)]);
}

export function loadRecord({ name, start, code }: DumpedFunction, index: number, time: bigint): Buffer {
  const body = Buffer.concat([u32(PID), u32(PID), u64(start), u64(start), u64(code.length), u64(index)]);
  return dumpRecord(0, time, Buffer.concat([body, Buffer.from(`${name}\0`), code]));
}

export function moveRecord({ start, code }: DumpedFunction, to: number, index: number, time: bigint): Buffer {
  const addresses = [to, start, to].map((address) => u64(address));
  return dumpRecord(1, time, Buffer.concat([u32(PID), u32(PID), ...addresses, u64(code.length), u64(index)]));
}

export function dumpRecord(id: number, time: bigint, body: Uint8Array): Buffer {
  return Buffer.concat([u32(id), u32(16 + body.length), u64(time), body]);
}
