/**
 * A line in, why it cannot be true out. What no machine prints is damage: it is counted when it is read, and nobody behind the
 * parser meets it.
 */
import { isThreadId, MAX_ID } from '../../model/limits.js';
import type { SidebandRecord } from '../../model/trace/sideband.js';
import { NONE } from '../../model/units.js';
import { parseAddress } from './location.js';
import type { PerfLine, Prefix } from './perf-line-types.js';

export const FAR_TIME = 'its time lies more than 52 days from that of the first line';
const BAD_THREAD = 'a thread or process id that no kernel gives out';
const BAD_CPU = 'a processor number that cannot be';
const BAD_ADDRESS = 'an address that no program has';

/** Ids that a record names must be ids, or −1 where perf knows none; null: all of it may be true. */
function recordFault(record: SidebandRecord): string | null {
  switch (record.what) {
    case 'comm':
    case 'exit':
    case 'traced':
      return idFault(record.pid, record.tid);
    case 'fork':
      return idFault(record.pid, record.tid, record.parentPid, record.parent);
    case 'mmap':
      return idFault(record.pid) ?? (Number.isFinite(record.start + record.length) ? null : BAD_ADDRESS);
    default:
      return null;
  }
}

/** null: it may be true, if its time is near enough to those of the other lines. */
export function lineFault(line: PerfLine): string | null {
  switch (line.type) {
    case 'branch':
      return prefixFault(line.prefix) ?? addressFault(line.from) ?? addressFault(line.to);
    case 'error':
      return idFault(line.pid, line.tid) ?? cpuFault(line.cpu);
    case 'sideband':
      return prefixFault(line.prefix) ?? recordFault(line.record);
    default:
      return null;
  }
}

function prefixFault({ pid, tid, cpu }: Prefix): string | null {
  return idFault(pid ?? NONE, tid) ?? cpuFault(cpu ?? NONE);
}

function idFault(...ids: readonly number[]): string | null {
  return ids.every(isThreadId) ? null : BAD_THREAD;
}

function cpuFault(cpu: number): string | null {
  return cpu >= NONE && cpu <= MAX_ID ? null : BAD_CPU;
}

/** Programs have the lower half of the address space and the kernel the upper one, each far less than 2^53 bytes. */
function addressFault(location: string): string | null {
  const blank = location.indexOf(' ');
  const address = parseAddress(blank === -1 ? location : location.slice(0, blank));
  return Number.isSafeInteger(address) ? null : BAD_ADDRESS;
}
