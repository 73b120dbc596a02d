/**
 * Hits of probes: when which thread came to the address of a probe, as the samples of a trace tell.
 */
import { countAtOrBelow } from '../../model/columns.js';
import { numbersOf, type SampleTable } from '../../model/samples/sample-table.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Address, Nanoseconds, Tid } from '../../model/units.js';

export type GapRecord = Extract<TraceRecord, { what: 'gap' }>;

/** By thread, then time. */
export interface ProbeHits {
  readonly tid: Int32Array;
  readonly timeNs: Float64Array; // Nanoseconds
  readonly address: Float64Array; // of the probed instruction
}

/** The field of a probe's samples with its address. Probes of returns have others: they hit no instruction. */
const ADDRESS = '__probe_ip';

/** Returns the hits of all probes; null: there is none. */
export function probeHits(tables: readonly SampleTable[]): ProbeHits | null {
  const hits = tables.flatMap((table) => hitsOf(table));
  if (hits.length === 0) return null;
  hits.sort((a, b) => a.tid - b.tid || a.timeNs - b.timeNs);
  return {
    tid: Int32Array.from(hits, ({ tid }) => tid),
    timeNs: Float64Array.from(hits, ({ timeNs }) => timeNs),
    address: Float64Array.from(hits, ({ address }) => address),
  };
}

interface Hit {
  readonly tid: Tid;
  readonly timeNs: Nanoseconds;
  readonly address: Address;
}

function hitsOf(table: SampleTable): Hit[] {
  const addresses = numbersOf(table, ADDRESS);
  if (addresses === null) return [];
  const hits = Array.from(addresses, (address, row) => ({ tid: table.tid[row], timeNs: table.timeNs[row], address }));
  return hits.filter(({ address }) => !Number.isNaN(address));
}

/** perf's errors for code that is missing, differs from the trace, or never ends: a breakpoint may be the reason. */
export const ERRORS_OF_CODE: readonly number[] = [5, 6, 10];

/** The times of samples and of the trace differ by less than this. */
export const MAX_APART_NS: Nanoseconds = 100_000;

/** Whether an error may come from a hit of its thread. */
export function isAtHit(hits: ProbeHits, { tid, timeNs, code }: GapRecord): boolean {
  if (!ERRORS_OF_CODE.includes(code)) return false;
  const times = hitsOfThread(hits, tid).timeNs;
  return times[countAtOrBelow(times, timeNs - MAX_APART_NS)] < timeNs + MAX_APART_NS;
}

/** Returns the hits of one thread. */
export function hitsOfThread({ tid, timeNs, address }: ProbeHits, of: Tid): Pick<ProbeHits, 'timeNs' | 'address'> {
  const [start, end] = [firstRow(tid, of), firstRow(tid, of + 1)];
  return { timeNs: timeNs.subarray(start, end), address: address.subarray(start, end) };
}

/** Returns the row of the first value that is not below a bound. */
function firstRow(ascending: Int32Array, bound: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
