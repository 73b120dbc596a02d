/**
 * Rejects lines with ids, CPUs or addresses that no machine has. They are damaged, so no later stage has to check.
 */
import { isThreadId, MAX_ID } from '../../model/limits.js';
import type { SidebandRecord } from '../../model/trace/trace-chunk.js';
import { NONE } from '../../model/units.js';
import { parseAddress } from './location.js';
import type { PerfLine, Prefix } from './perf-line-types.js';

export const FAR_TIME = 'its time is more than 52 days from that of the first line';
const BAD_THREAD = 'a thread or process id that no kernel assigns';
const BAD_CPU = 'an impossible CPU number';
const BAD_ADDRESS = 'an address that no program has';

/** Returns what is impossible in a record, or null. An id may be −1 if perf does not know it. */
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

/** Returns what is impossible in a line, or null. Its time is checked elsewhere, against those of other lines. */
export function lineFault(line: PerfLine): string | null {
  switch (line.type) {
    case 'branch':
      return prefixFault(line.prefix) ?? addressFault(line.from) ?? addressFault(line.to);
    case 'error':
      return idFault(line.pid, line.tid) ?? cpuFault(line.cpu);
    case 'sample':
      return prefixFault(line.prefix);
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

/** Programs use the lower half of the address space and the kernel the upper one, each far less than 2^53 bytes. */
function addressFault(location: string): string | null {
  const blank = location.indexOf(' ');
  const address = parseAddress(blank === -1 ? location : location.slice(0, blank));
  return Number.isSafeInteger(address) ? null : BAD_ADDRESS;
}
