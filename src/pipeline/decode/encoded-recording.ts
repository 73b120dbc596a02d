/**
 * A recording whose trace is still encoded, and the context in which its parts are decoded.
 */

import { latin1Bytes, latin1Text, utf8Text } from '../../codec/bytes.js';
import { parseFilters } from '../../decode/images.js';
import type { Jumps } from '../../decode/part-decoder.js';
import type { FileRef } from '../../model/open-file.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { NONE } from '../../model/units.js';
import type { Recording, TraceEncoding } from '../../perfdata/recording.js';
import type { SideRecording } from '../../perfdata/side-recording.js';
import { KERNEL_FILE } from '../../symbols/kallsyms.js';
import { findKernel, type KernelFiles } from '../../symbols/kernel-files.js';
import { binaryPaths, type SymbolFiles, type SymbolRoots, VDSO } from '../../symbols/symbol-files.js';
import type { DecodePlan, KernelCode } from './decode-plan.js';
import type { DecodeContext } from './decode-task.js';
import type { Locate, LocateOptions } from './locate.js';

export type { Jumps };

/** Smaller in tests. */
export interface DecodingSizes {
  /** More trace than this is decoded by workers: less is decoded before a worker would have started. */
  readonly maxInlineBytes?: number;
  /** Trace in a part. Its events should fit into a part's memory. */
  readonly partBytes?: number;
}

/** A recording whose trace is still encoded. */
export interface EncodedRecording extends DecodingSizes {
  readonly name: string;
  /** Of its trace. */
  readonly sizeBytes: number;
  /** The file. */
  readonly path: string;
  readonly recording: Recording;
  /** Recordings made next to it. Default: none. */
  readonly sides?: readonly SideRecording[];
  readonly jumps: Jumps;
  /** Where the binaries are, by recorded path (latin1). Missing ones cannot be decoded. */
  readonly binaries: ReadonlyMap<string, string>;
  /** Where the symbols of the binaries are. */
  readonly naming: LocateOptions;
  readonly locate: Locate;
  /** Default: it is not traced, or its code is missing. */
  readonly kernel?: KernelCode | null;
  readonly recorded: RecordingEnvironment | null;
  /** Why it is incomplete; null: it is complete. */
  readonly broken: string | null;
  /** For tests: how many bytes of events a decoder finds before it stops, and of code and sites that it keeps. */
  readonly eventBytes?: number;
  readonly codeBytes?: number;
  /** Decodes without what only makes it faster. */
  readonly isPlain?: boolean;
}

/** A recording that was decoded here. `originNs`: perf's clock at time 0 of the trace. */
export interface DecodedHere {
  readonly encoded: EncodedRecording;
  readonly originNs: bigint;
}

const EVENT_BYTES = 4 * 1024 * 1024;
const CODE_BYTES = 24 * 1024 * 1024;

/** `file`: the recording. `originNs`: perf's clock at time 0 of the trace. */
export function decodeContext(
  encoded: EncodedRecording,
  file: FileRef,
  plan: DecodePlan,
  originNs: bigint,
): DecodeContext {
  const { jumps, binaries, naming, recording, eventBytes = EVENT_BYTES, codeBytes = CODE_BYTES } = encoded;
  const { timing, bounds, schedule, changes, cpus: traces } = plan;
  const { images } = schedule;
  const cpus = traces.map((trace) => ({ trace, slots: schedule.slotsOf(trace) }));
  const hasMtc = hasMtcPackets(recording);
  const { isPlain = false, kernel = null } = encoded;
  const switchAt = kernel === null ? null : kernel.switchAt;
  const settings = { timing, bounds, originNs, jumps, hasMtc, compressesReturns: compressesReturns(recording) };
  return { file, cpus, images, changes, switchAt, ...settings, binaries, naming, eventBytes, codeBytes, isPlain };
}

// What the own decoder does not know, told from a recording's settings and records. Its packets are no evidence: a flipped
// bit makes any packet of any other, and is to cost the trace up to the next PSB, not the recording.

/** Something that only perf decodes. */
export interface Unsupported {
  /** "kernel tracing". */
  readonly what: string;
  /** Whether the own decoder can show the rest; what it does not know is lost time. */
  readonly hasRest: boolean;
}

interface Rule extends Unsupported {
  readonly isIn: (recording: Recording) => boolean;
}

/** Bits of the configuration (IA32_RTIT_CTL, Intel SDM volume 3). */
const MTC = 1n << 9n;
const NO_RETURN_COMPRESSION = 1n << 11n;
const BRANCHES = 1n << 13n;
const EVENT_TRACE = 1n << 31n;

/** The first rule that applies is the reason. */
const RULES: readonly Rule[] = [
  { what: 'code of another architecture', hasRest: false, isIn: ({ machine }) => isForeign(machine.architecture) },
  {
    what: 'a trace without times',
    hasRest: false,
    isIn: ({ trace, encoding }) => !trace?.hasTime || !encoding?.timing,
  },
  { what: 'trace in samples', hasRest: false, isIn: ({ encoding }) => encoding?.hasTraceInSamples === true },
  { what: 'a trace without branches', hasRest: false, isIn: ({ encoding }) => configOf(encoding, BRANCHES) === 0n },
  { what: 'buffers of CPUs next to those of threads', hasRest: false, isIn: hasBothBuffers },
  { what: 'context switches by a tracepoint', hasRest: false, isIn: ({ trace }) => trace?.switches === 'tracepoint' },
  { what: 'address filters without addresses', hasRest: true, isIn: hasOtherFilters },
  { what: 'PEBS packets', hasRest: true, isIn: ({ encoding }) => encoding?.hasPebs === true },
  { what: 'event packets', hasRest: true, isIn: ({ encoding }) => configOf(encoding, EVENT_TRACE) !== 0n },
];

/** Returns what of the recording only perf can decode, or null. */
export function unsupported(recording: Recording): Unsupported | null {
  return RULES.find(({ isIn }) => isIn(recording)) ?? null;
}

function hasMtcPackets({ encoding }: Recording): boolean {
  return configOf(encoding, MTC) !== 0n;
}

function compressesReturns({ encoding }: Recording): boolean {
  return configOf(encoding, NO_RETURN_COMPRESSION) === 0n;
}

function isForeign(architecture: string | null): boolean {
  return architecture !== null && architecture !== 'x86_64';
}

function hasBothBuffers({ trace, buffers }: Recording): boolean {
  return buffers.some(({ cpu, tid }) => (trace?.isPerCpu ? tid : cpu) !== NONE);
}

function hasOtherFilters({ trace }: Recording): boolean {
  const filter = trace?.filter ?? '';
  return filter !== '' && parseFilters(filter) === null;
}

function configOf(encoding: TraceEncoding | null, bits: bigint): bigint {
  return (encoding?.config ?? 0n) & bits;
}

/** Why the own decoder cannot decode a recording whose kernel's code is missing. `kernel`: as it was found. */
export function lacksKernel({ trace }: Recording, kernel: KernelFiles | null): Unsupported | null {
  return trace?.hasKernel && kernel === null
    ? { what: 'kernel tracing without a copy of the kernel', hasRest: true }
    : null;
}

/** Finds the code and names of the traced kernel. `data`: the recording's file. Null: none is traced, or they are missing. */
export function findTracedKernel(
  { trace, sideband, buildIds }: Recording,
  data: string,
  files: SymbolFiles,
  roots: SymbolRoots,
): KernelFiles | null {
  if (!trace?.hasKernel) return null;
  const buildId = buildIds.find(({ file }) => file === KERNEL_FILE)?.buildId ?? null;
  let reference = null;
  for (const { record } of sideband) {
    // "[kernel.kallsyms]_text", whose offset is the address of _text
    if (record.what !== 'mmap' || record.pid !== NONE || !record.file.startsWith(KERNEL_FILE)) continue;
    reference = { name: record.file.slice(KERNEL_FILE.length), address: record.fileOffset };
    break;
  }
  return findKernel(data, { buildId, reference }, files, roots);
}

/** Finds the binaries of a recording, where perf looks for them. */
export interface FoundBinaries {
  /** Path by recorded path (bytes as latin1 characters), of those that can be read and decoded. */
  readonly paths: ReadonlyMap<string, string>;
  /** The recorded paths of those that have 32-bit code. */
  readonly narrow: readonly string[];
}

/**
 * As perf does: a copy with the recorded build id, else whatever has the recorded path now. `fetched`: by recorded path, instead
 * of both.
 */
export function findBinaries(
  { sideband, buildIds }: Recording,
  files: SymbolFiles,
  roots: SymbolRoots,
  fetched: ReadonlyMap<string, string> = new Map(),
): FoundBinaries {
  const buildIdOf = new Map(buildIds.map(({ file, buildId }) => [file, buildId]));
  const paths = new Map<string, string>();
  const narrow: string[] = [];
  for (const file of new Set(sideband.flatMap(({ record }) => (record.what === 'mmap' ? [record.file] : [])))) {
    if (!file.startsWith('/') && file !== VDSO) continue;
    const path = utf8Text(latin1Bytes(file));
    const copy = fetched.get(path);
    const own = binaryPaths(path, buildIdOf.get(path) ?? null, roots);
    const found = firstReadable(copy ? [copy, ...own] : own, files);
    if (found?.isNarrow) narrow.push(path);
    else if (found) paths.set(file, found.path);
  }
  return { paths, narrow };
}

/** Bytes of an ELF file that tell how wide its addresses are. */
const HEAD_BYTES = 5;
const ELF = '\x7fELF';
const NARROW = 1;

function firstReadable(
  candidates: readonly string[],
  files: SymbolFiles,
): { readonly path: string; readonly isNarrow: boolean } | null {
  for (const path of candidates) {
    const file = files.open(path);
    if (file === null) continue;
    const head = file.read(0, HEAD_BYTES);
    file.close();
    return { path, isNarrow: head[4] === NARROW && latin1Text(head, 0, 4) === ELF };
  }
  return null;
}
