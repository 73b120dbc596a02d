/**
 * What the own decoder does not know, told from a recording's settings.
 */
import { NONE } from '../../model/units.js';
import type { AuxBuffer, Recording, TraceEncoding, TraceSettings } from '../../perfdata/recording.js';

/** Bits of the configuration (IA32_RTIT_CTL, Intel SDM volume 3). */
const PWR_EVENTS = 1n << 4n;
const FUP_ON_PTW = 1n << 5n;
const PTWRITE = 1n << 12n;
const BRANCHES = 1n << 13n;
const EVENT_TRACE = 1n << 31n;
const MAX_MTC_PERIOD = 8;

/** Returns what of the recording only perf can decode, or null. */
export function unsupported({ trace, encoding, machine, buffers }: Recording): string | null {
  if (trace === null || encoding === null) return 'no Intel PT trace';
  if (machine.architecture !== null && machine.architecture !== 'x86_64') return `code of ${machine.architecture}`;
  return bySettings(trace) ?? byEncoding(encoding) ?? byBuffers(trace, buffers);
}

function bySettings({ hasKernel, filter, hasTime }: TraceSettings): string | null {
  if (!hasTime) return 'a trace without times';
  if (hasKernel) return 'kernel tracing';
  return filter === '' ? null : 'address filters';
}

function byBuffers({ isPerCpu }: TraceSettings, buffers: readonly AuxBuffer[]): string | null {
  const areAlike = buffers.every(({ cpu, tid }) => (isPerCpu ? tid : cpu) === NONE);
  return areAlike ? null : 'buffers of CPUs next to those of threads';
}

function byEncoding({ timing, config }: TraceEncoding): string | null {
  if (timing === null) return 'a trace without times';
  if (timing.mtcPeriod > MAX_MTC_PERIOD) return 'rare MTC packets';
  if ((config & BRANCHES) === 0n) return 'a trace without branches';
  return (config & (PWR_EVENTS | FUP_ON_PTW | PTWRITE | EVENT_TRACE)) === 0n ? null : 'PTWRITE, power or event packets';
}
