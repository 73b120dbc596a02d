/**
 * Turns the source of a thread into what is sent to a worker, and back: its switches as columns, because there may be
 * millions, and copying an object takes long.
 */
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { ThreadSource } from '../../store/thread-source.js';

export interface SentSource extends Omit<ThreadSource, 'records'> {
  /** In the order of the records. */
  readonly records: {
    /** By record: index of DIRECTIONS; OTHER: the next one of `others`. */
    readonly direction: Uint8Array;
    readonly cpu: Int32Array;
    readonly timeNs: Float64Array;
    readonly others: readonly TraceRecord[];
  };
}

const DIRECTIONS = ['in', 'out', 'preempted'] as const;
const OTHER = 255;

export function sentSource({ records, ...source }: ThreadSource): SentSource {
  const direction = new Uint8Array(records.length).fill(OTHER);
  const cpu = new Int32Array(records.length);
  const timeNs = new Float64Array(records.length);
  for (const [row, record] of records.entries()) {
    if (record.what !== 'switch') continue;
    direction[row] = DIRECTIONS.indexOf(record.direction);
    cpu[row] = record.cpu;
    timeNs[row] = record.timeNs;
  }
  const others = records.filter(({ what }) => what !== 'switch');
  return { ...source, records: { direction, cpu, timeNs, others } };
}

export function receivedSource({ records, ...source }: SentSource): ThreadSource {
  const { direction, cpu, timeNs, others } = records;
  const { tid } = source;
  let other = 0;
  const received = Array.from(direction, (of, row): TraceRecord => {
    if (of === OTHER) return others[other++];
    return { what: 'switch', direction: DIRECTIONS[of], tid, cpu: cpu[row], timeNs: timeNs[row] };
  });
  return { ...source, records: received };
}
