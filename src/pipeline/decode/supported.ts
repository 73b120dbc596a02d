/**
 * What the own decoder does not know, told from a recording's settings and records. Its packets are no evidence: a
 * flipped bit makes any packet of any other, and is to cost the trace up to the next PSB, not the recording.
 */
import { parseFilters } from '../../decode/images.js';
import { NONE } from '../../model/units.js';
import type { Recording, TraceEncoding } from '../../perfdata/recording.js';

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
  { what: 'kernel tracing', hasRest: true, isIn: ({ trace }) => trace?.hasKernel === true },
  { what: 'address filters without addresses', hasRest: true, isIn: hasOtherFilters },
  { what: 'PEBS packets', hasRest: true, isIn: ({ encoding }) => encoding?.hasPebs === true },
  { what: 'event packets', hasRest: true, isIn: ({ encoding }) => configOf(encoding, EVENT_TRACE) !== 0n },
];

/** Returns what of the recording only perf can decode, or null. */
export function unsupported(recording: Recording): Unsupported | null {
  return RULES.find(({ isIn }) => isIn(recording)) ?? null;
}

export function hasMtcPackets({ encoding }: Recording): boolean {
  return configOf(encoding, MTC) !== 0n;
}

export function compressesReturns({ encoding }: Recording): boolean {
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
