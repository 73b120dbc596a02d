/**
 * Hits of probes: when which thread came to the address of a probe, as the samples of a trace tell.
 */
import { countAtOrBelow, countBelow, float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { numbersOf, type SampleTable } from '../../model/sample-table.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

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
  const [tid, timeNs, address] = [int32Column(), float64Column(), float64Column()];
  for (const table of tables) {
    const addresses = numbersOf(table, ADDRESS) ?? new Float64Array(0);
    for (let row = 0; row < addresses.length; row++) {
      if (Number.isNaN(addresses[row])) continue;
      tid.push(table.tid[row]);
      timeNs.push(table.timeNs[row]);
      address.push(addresses[row]);
    }
  }
  if (tid.length === 0) return null;
  const byThread = rowNumbers(tid.length).sort(
    (a, b) => tid.values[a] - tid.values[b] || timeNs.values[a] - timeNs.values[b] || a - b,
  );
  return {
    tid: valuesOf(tid.view(), byThread),
    timeNs: valuesOf(timeNs.view(), byThread),
    address: valuesOf(address.view(), byThread),
  };
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
  const [start, end] = [countBelow(tid, of), countBelow(tid, of + 1)];
  return { timeNs: timeNs.subarray(start, end), address: address.subarray(start, end) };
}
